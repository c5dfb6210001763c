"""What single commands need: search, a memory by hand, evaluation, calibration."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from junod.assembly.embedders import Embedders, build_embedder
from junod.assembly.parts import (
    active_rules,
    build_extractor,
    build_timekeeper,
    calibrations_dir,
    gate_models,
    llm_path,
    load_judge,
    mask_passage,
    masked,
    open_store,
)
from junod.clock import SystemClock
from junod.errors import ExtractionError, UsageError
from junod.records import Decision, Memory, NewMemory, Outcome, Passage, UnsyncedTime
from junod.settings import Settings, household_zone

if TYPE_CHECKING:
    from junod.extract.calibration import Report


def chosen_microphone(settings: Settings) -> str:
    """Name of the microphone that `junod run` would use.

    Raises:
        AudioError: there is none, or none of that name; the error lists those that exist.
    """
    from junod.audio.capture import pick_device
    from junod.audio.microphone import list_devices

    return pick_device(list_devices(), settings.audio.device).name


def manual_memory(settings: Settings, text: str, expires_at: datetime | None, now: datetime) -> NewMemory:
    """A memory written by hand.

    Raises:
        UsageError: empty, or over before it begins.
    """

    if not text.strip():
        raise UsageError("There is nothing to remember.", hint="Give the text of the memory.")
    if expires_at is not None and expires_at <= now:
        raise UsageError(f"--expires {expires_at.isoformat()} is over.", hint="Give a moment to come, or leave it out.")
    spoken_at = now.astimezone(household_zone(settings))
    keeper = build_timekeeper(settings)
    is_set = keeper.is_set
    return NewMemory(
        memory=masked(text.strip()),
        transcript="",
        spoken_at=spoken_at,
        expires_at=expires_at,
        room=settings.device.room,
        device_id=settings.device.id,
        household_id=settings.household.id,
        source="manual",
        clock_synced=is_set,
        unsynced=None if is_set else UnsyncedTime(keeper.anchor()),
    )


@dataclass(frozen=True, slots=True)
class SearchWords:
    """A search as typed."""

    query: str
    mode: str
    since: str
    """ISO 8601 or words that look back; '' = open."""
    until: str
    limit: int
    room: str = ""
    device: str = ""
    source: str = ""


def search_memories(settings: Settings, words: SearchWords) -> tuple[Memory, ...]:
    """Search the configured database; what has no vector yet (written by hand, say) is given one first.

    Raises:
        UsageError: unknown mode or source, empty query, odd limit, words that are no time, an empty range.
    """
    from junod.assembly.spoken import checked_source, spoken_range
    from junod.memory.search import SearchMode, SearchRequest
    from junod.memory.verbs import find
    from junod.rules.finding import found_by_rules

    if words.mode not in {mode.value for mode in SearchMode}:
        raise UsageError(
            f"--mode {words.mode} is unknown.", hint=f"Choose one of {', '.join(mode.value for mode in SearchMode)}."
        )
    clock = SystemClock()
    since, until = spoken_range(
        words.since,
        words.until,
        now=clock.now(),
        zone=household_zone(settings),
        day_first=settings.household.day_first,
    )
    mode = SearchMode(words.mode)
    if mode is SearchMode.HYBRID and not words.query.strip() and (since or until):
        mode = SearchMode.CHRONOLOGICAL
    request = SearchRequest(
        words.query,
        mode,
        words.limit,
        since,
        until,
        words.room or None,
        words.device or None,
        checked_source(words.source),
    )
    with open_store(settings, clock=clock) as store:
        embedder = Embedders(settings, store).answering() if words.query.strip() else None
        hits = found_by_rules(
            lambda each: find(store, each, embedder=embedder, now=clock.now()), request, active_rules(store)
        )
        return tuple(hit.memory for hit in hits)


def passage_decider(settings: Settings, *, held_out: bool = False) -> Callable[[Passage], Decision]:
    """Decides passages one by one, each in its own time zone; what fails twice is parked, as the daemon does.

    Raises:
        ModelError, CalibrationError: before the first passage.
    """
    from junod.pipeline import MAX_ATTEMPTS

    judge = load_judge(settings, held_out=held_out)

    def decide(passage: Passage) -> Decision:
        zone = passage.spoken_at.tzinfo
        extractor = build_extractor(settings, judge, zone if isinstance(zone, ZoneInfo) else household_zone(settings))
        for attempt in range(1, MAX_ATTEMPTS + 1):
            try:
                return extractor.decide(passage)
            except ExtractionError as error:
                if error.permanent or attempt == MAX_ATTEMPTS:
                    return Decision(passage.id, Outcome.PARKED, "llm", reason=error.code)
        raise AssertionError("unreachable: the last attempt returns")

    return decide


def calibrate_gate(
    settings: Settings, passages: Sequence[Path], progress: Callable[[int, int], None]
) -> tuple[Report, Path]:
    """Fit the gate for the configured language model; returns the report and where it was written."""
    from junod.extract.gate import calibration_name
    from junod.extract.gate_files import calibrate_model
    from junod.extract.local_llm import LocalLanguageModel
    from junod.extract.prompt import build_prompt

    llm = LocalLanguageModel(llm_path(settings), settings.extract)
    report = calibrate_model(
        gate_models(settings),
        lambda passage: llm.read(build_prompt(mask_passage(passage))),
        passages=passages,
        target_precision=settings.extract.target_precision,
        threads=settings.memory.embedding_threads,
        progress=progress,
    )
    return report, calibrations_dir() / calibration_name(report.calibration.llm)


def reembed(settings: Settings, tell: Callable[[int, int], None]) -> int:
    """Give every memory its vector of the configured model; what was done before an interruption stays done.

    Args:
        tell: hears after each piece how many have one, of how many.

    Raises:
        ModelError, StoreError: from the model and the store.
    """
    from junod.memory.reembedding import embed_all, progress

    embedder = build_embedder(settings)
    with open_store(settings) as store:
        begun = progress(store, embedder.name, embedder.dims)
        return embed_all(store, embedder, lambda done: tell(begun.done + done, begun.total))
