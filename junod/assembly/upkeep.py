"""Dedup on demand: the parts of `junod dedup`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from junod.assembly.parts import llm_path, open_store
from junod.clock import SystemClock
from junod.errors import ModelError
from junod.settings import Settings

if TYPE_CHECKING:
    from junod.dedup.evaluate import Score
    from junod.dedup.loop import Report
    from junod.extract.language_model import LanguageModel, Prompt, Reading


class ModelWhenAsked:
    """A language model that loads at the first question: most runs have none."""

    def __init__(self, load: Callable[[], LanguageModel]) -> None:
        self._load = load
        self._model: LanguageModel | None = None

    def read(self, prompt: Prompt) -> Reading:
        return self._loaded().read(prompt)

    def complete(self, prompt: Prompt, grammar: str | None, max_tokens: int, deadline_s: float) -> str:
        return self._loaded().complete(prompt, grammar, max_tokens, deadline_s)

    def close(self) -> None:
        if self._model is not None:
            self._model.close()

    def _loaded(self) -> LanguageModel:
        if self._model is None:
            self._model = self._load()
        return self._model


def dedup_model(settings: Settings) -> ModelWhenAsked | None:
    """The configured language model, not loaded yet; None where its weights are not on this machine."""
    try:
        path = llm_path(settings)
    except ModelError:
        return None

    def load() -> LanguageModel:
        from junod.extract.local_llm import LocalLanguageModel

        return LocalLanguageModel(path, settings.extract)

    return ModelWhenAsked(load) if path.is_file() else None


def dedup_now(settings: Settings, model: ModelWhenAsked | None, *, dry_run: bool, thorough: bool) -> Report:
    """One run over the configured database. A merged memory gets its vector at the next search or from the daemon.

    Raises:
        StoreError: the database cannot be read or written.
        ModelError: the language model was needed and cannot be loaded; merges made before that stand.
    """
    from junod.dedup.loop import Deduper

    clock = SystemClock()
    with open_store(settings, clock=clock, read_only=dry_run) as store:
        return Deduper(store, settings.dedup, model, None).run(clock.now(), dry_run=dry_run, thorough=thorough)


def evaluate_dedup(settings: Settings, path: Path, model: ModelWhenAsked | None) -> Score:
    """Score dedup on labelled cases.

    Raises:
        UsageError: the file is missing or a line of it is not a case.
    """
    from junod.dedup.evaluate import evaluate, read_cases

    return evaluate(read_cases(path), settings.dedup, model)
