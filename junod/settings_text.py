"""Settings as a commented TOML text: the shipped config/junod.toml and `junod config show`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from junod.settings import Settings

HEADER = """\
# Settings of junod. Every key is here with its default; all may be left out.
# Environment variables win over this file: JUNOD_VAD__THRESHOLD=0.6 sets vad.threshold.
# `junod config check` says what is wrong with it, `junod config show` what is in force.
"""


def settings_text(settings: Settings, header: str = HEADER) -> str:
    """All sections as TOML; each key after a comment with its meaning and range. Unset keys are commented out."""
    sections = [_section_text(name, getattr(settings, name)) for name in type(settings).model_fields]
    return header + "\n" + "\n".join(sections)


def _section_text(name: str, section: BaseModel) -> str:
    kind = type(section)
    lines = [f"# {(kind.__doc__ or '').strip()}", f"[{name}]"]
    for key, field in kind.model_fields.items():
        lines.append(f"# {field.description}{allowed(field)}")
        lines.append(_assignment(key, getattr(section, key)))
    return "\n".join(lines) + "\n"


def _assignment(key: str, value: Any) -> str:
    if value is None:
        return f'# {key} = ""'
    return f"{key} = {json.dumps(str(value) if isinstance(value, Path) else value, ensure_ascii=False)}"


def allowed(field: FieldInfo) -> str:
    """What a key may be, for a person: ' (0.5 to 30)'; '' where its type says enough."""
    if get_origin(field.annotation) is Literal:
        return f" ({', '.join(str(value) for value in get_args(field.annotation))})"
    low = next((f"{m.ge}" for m in field.metadata if isinstance(m, Ge)), None)
    low = low or next((f"above {m.gt}" for m in field.metadata if isinstance(m, Gt)), None)
    high = next((f"{m.le}" for m in field.metadata if isinstance(m, Le)), None)
    high = high or next((f"below {m.lt}" for m in field.metadata if isinstance(m, Lt)), None)
    return f" ({low} to {high})" if low and high else ""
