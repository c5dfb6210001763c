"""Where a model's weights lie. Looks at the disk only; nothing is fetched at run time."""

from __future__ import annotations

from pathlib import Path

from junod.errors import ModelError
from junod.weights.manifest import Model, load_manifest
from junod.weights.verify import has_size, installed_source, verify_model


def model_path(name_or_path: str, models_dir: Path) -> Path:
    """The GGUF file or the folder to load for a model.

    Args:
        name_or_path: a name of the manifest, a name of a folder or .gguf file in `models_dir`, or a path.
        models_dir: folder of the weights.

    Raises:
        ModelError: not installed, cut short, or no such path; the hint says how to get it.
    """
    model = next((known for known in load_manifest().models if known.name == name_or_path), None)
    if model is not None:
        return _installed(model, models_dir)
    for candidate in (models_dir / name_or_path, Path(name_or_path).expanduser()):
        if candidate.exists():
            return _single_file(candidate)
    known = ", ".join(load_manifest().names())
    raise ModelError(
        f"There is no model '{name_or_path}', by name or as a path.",
        hint=f"Give a GGUF file, a model's folder, or one of: {known}.",
    )


def check_intact(name_or_path: str, models_dir: Path) -> None:
    """See that a model of the manifest is unaltered; a file that passed is hashed again only once it changed.

    Raises:
        ModelError: names the file that is missing, cut short or corrupted.
    """
    model = next((known for known in load_manifest().models if known.name == name_or_path), None)
    if model is None:
        return  # the user's own model: nobody knows what it should be
    state = verify_model(model, models_dir)
    if state.problems:
        wrong = ", ".join(f"{models_dir / model.name / file.path} ({file.problem})" for file in state.problems)
        raise ModelError(f"Model {model.name} is {state.state}: {wrong}.", hint=_pull(model))


def _installed(model: Model, models_dir: Path) -> Path:
    folder = models_dir / model.name
    if not folder.is_dir():
        raise ModelError(f"Model {model.name} is not installed in {models_dir}.", hint=_pull(model))
    if installed_source(folder, model) is None:
        raise ModelError(
            f"Model {model.name} in {folder} is incomplete: {_what_is_wrong(model, folder)}.", hint=_pull(model)
        )
    return _single_file(folder)


def _what_is_wrong(model: Model, folder: Path) -> str:
    """The files of the source that fits best."""
    sources: list[list[str]] = [
        [file.path for file in source.files if not has_size(folder / file.path, file.size)] for source in model.sources
    ]
    best = min(sources, key=lambda files: len(files))
    return ", ".join(best) + " missing or cut short"


def _pull(model: Model) -> str:
    return f"Run `junod models pull {model.name}`."


def _single_file(path: Path) -> Path:
    """A folder that holds one GGUF file means that file; any other folder is the model itself."""
    if path.is_dir():
        gguf = sorted(path.glob("*.gguf"))
        if len(gguf) == 1:
            return gguf[0]
    return path
