"""The shape of the house: imports go downwards only, stages never meet, heavy packages stay in adapters."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from junod.__main__ import main

PACKAGE = Path(main.__code__.co_filename).parent
LEAVES = {
    "__init__",
    "seclusion",
    "records",
    "errors",
    "clock",
    "timekeeper",
    "sections",
    "settings",
    "events",
    "resources",
    "settings_text",
    "decay",
    "audit",
    "whole_file",
    "low_rank",
}
STAGES = {"audio", "vad", "stt", "debounce", "spoken_orders", "redact", "extract", "when", "memory", "weights"}
UPKEEP = {"dedup", "habits", "persona"}
"""Works over the stored memories; of the stages it may use the store and these pure or protocol modules alone."""
UPKEEP_USES = {"junod.extract.language_model", "junod.extract.shopping", "junod.extract.words", "junod.when.speak"}
PLANNED = {"agenda"}
"""What memories mean for the days to come."""
DECLARED = {"rules"}
"""Stand around the extractor; see RULES_USE."""
JOINED = {
    "mailbox",
    "nightly",
    "turn",
    "listening",
    "health",
    "pipeline",
    "replay",
    "workers",
    "ear_state",
    "ear_worker",
    "tally",
    "control",
    "faces_keeper",
    "redating",
    "reminding",
    "daemon",
}
COMPOSED = {"assembly"}
FACES = {"cli", "mcp_server", "web", "__main__"}
RANK = {
    name: rank
    for rank, names in enumerate((LEAVES, STAGES, UPKEEP, PLANNED, DECLARED, JOINED, COMPOSED, FACES))
    for name in names
}
HEAVY = {
    "av", "ctranslate2", "dateparser", "fastapi", "faster_whisper", "gguf", "holidays", "icalendar", "llama_cpp",
    "markdown_it", "mcp", "nh3", "onnxruntime", "segno",
    "sentence_transformers", "sklearn", "sounddevice", "soxr", "sqlite_vec", "starlette", "torch", "transformers",
    "uvicorn", "webrtcvad",
}  # fmt: skip


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def room(path: Path) -> str:
    """The top-level name a module belongs to: 'audio' for junod/audio/ring.py."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(path: Path, *, lazy: bool = True) -> set[str]:
    """Modules imported anywhere in the file, type checking included; without `lazy` only at import time."""
    found: set[str] = set()
    tree = ast.parse(path.read_text("utf-8"))
    nodes = ast.walk(tree) if lazy else iter(tree.body)
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {_imported(node.module, alias.name) for alias in node.names}
    return found


def _imported(module: str, name: str) -> str:
    """The module behind `from module import name`: the name itself where it is a module."""
    path = PACKAGE.parent / Path(*module.split("."), name)
    return f"{module}.{name}" if path.with_suffix(".py").exists() or path.is_dir() else module


def own_rooms(path: Path) -> set[str]:
    return {name.split(".")[1] for name in imports(path) if name.startswith("junod.")} - {"__version__"}


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_go_downwards_only(path: Path) -> None:
    here = room(path)
    for other in own_rooms(path) - {here}:
        assert other in RANK, f"{other} has no place in the house: add it to a layer"
        if here in STAGES and other in STAGES:
            pytest.fail(f"stage {here} imports stage {other}")
        assert RANK[other] <= RANK[here], f"{here} imports {other}, which stands above it"


RULES_USE = {"junod.extract.language_model", "junod.extract.words"}
"""What the rules may use of the extractor; of `when` they use the reading of times, of `memory` the stores."""


@pytest.mark.parametrize("path", sorted((PACKAGE / "rules").glob("*.py")), ids=lambda p: p.name)
def test_rules_use_little_of_the_stages(path: Path) -> None:
    for name in imports(path):
        if name.startswith("junod.") and name.split(".")[1] in STAGES - {"memory", "when"} | UPKEEP:
            assert name in RULES_USE, f"{path.name} imports {name}"


UPKEEP_FILES = [path for name in sorted(UPKEEP) for path in sorted((PACKAGE / name).glob("*.py"))]


@pytest.mark.parametrize("path", UPKEEP_FILES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_upkeep_uses_the_store_and_little_else_of_the_stages(path: Path) -> None:
    for name in imports(path):
        if name.startswith("junod.") and name.split(".")[1] in STAGES - {"memory"}:
            assert name in UPKEEP_USES, f"{path.name} imports {name}"


def test_every_room_has_a_place() -> None:
    assert {room(path) for path in modules()} <= set(RANK)


def test_the_command_line_starts_without_any_heavy_package() -> None:
    code = "import sys, junod.cli.app; print('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=180)
    loaded = {name.split(".")[0] for name in done.stdout.split()}
    assert not loaded & (HEAVY | {"numpy", "pydantic", "httpx"})


def test_no_own_module_cycle() -> None:
    graph = {}
    for path in modules():
        name = "junod." + str(path.relative_to(PACKAGE).with_suffix("")).replace("/", ".")
        graph[name.removesuffix(".__init__")] = {n for n in imports(path, lazy=False) if n.startswith("junod")}
    seen: dict[str, int] = {}

    def visit(name: str, trail: tuple[str, ...]) -> None:
        assert seen.get(name) != 1, f"cycle: {' -> '.join((*trail, name))}"
        if name in graph and name not in seen:
            seen[name] = 1
            for other in sorted(graph[name] - {name}):
                visit(other, (*trail, name))
            seen[name] = 2

    for name in graph:
        visit(name, ())
