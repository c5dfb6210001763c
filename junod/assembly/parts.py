"""The parts of the pipeline, made from settings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4
from zoneinfo import ZoneInfo

from junod.assembly.embedders import build_embedder, embedding_path
from junod.clock import Clock, SystemClock
from junod.errors import ModelError
from junod.events import EventBus
from junod.records import Passage
from junod.resources import data_file
from junod.settings import Settings, data_dir, database_path, household_zone, models_dir
from junod.timekeeper import SystemSync, Timekeeper

if TYPE_CHECKING:
    from junod.extract.extractor import PassageExtractor
    from junod.extract.focus import PieceJudge
    from junod.extract.gate_models import GateModels
    from junod.extract.gate_protocol import Gate
    from junod.extract.language_model import LanguageModel
    from junod.memory.embedder import Embedder
    from junod.memory.store import MemoryStore
    from junod.memory.talk import Talk
    from junod.pipeline import Contexts, Deciding, Hearing
    from junod.records import Resolution
    from junod.redating import Redater
    from junod.rules.book import RuleBook
    from junod.rules.extractor import RuledExtractor
    from junod.rules.reading import Ask
    from junod.rules.schema import RuleSpec
    from junod.sections import RemindersSettings
    from junod.stt.whisper import WhisperTranscriber

WARM_UP = Passage("warm-up", "", datetime(2026, 1, 1, tzinfo=UTC), "kitchen")
"""Its prompt has the part that all prompts share, which is evaluated while the ear already listens."""
GATE_BASE = "all-MiniLM-L6-v2"
"""What the gate's encoder was trained from."""
GATE_LOWER = "qwen2.5-coder-0.5b-lower-12"
"""What reads for the gate where its small judges leave it open."""
WHISPER_MODELS = {"lite": "whisper-tiny.en", "standard": "whisper-base"}


def needed_models(settings: Settings) -> tuple[Path, ...]:
    """Where the configured models lie, each seen to be whole and unaltered.

    Raises:
        ModelError: one is missing, cut short or corrupted.
    """
    from junod.weights.locate import check_intact

    ear, gate = whisper_path(settings), gate_models(settings)
    paths = ear, gate.llm, embedding_path(settings), gate.base, gate.lower
    own = whisper_name(settings), settings.extract.model, settings.memory.embedding_model
    for name in (*own, GATE_BASE, GATE_LOWER):
        check_intact(name, models_dir(settings))
    return tuple(dict.fromkeys(paths))


def installed_problem(settings: Settings, name: str) -> ModelError | None:
    """Why a model cannot be used as it lies on the disk; None where it seems whole (its bytes are not looked at)."""
    from junod.weights.locate import model_path

    try:
        model_path(name, models_dir(settings))
    except ModelError as error:
        return error
    return None


def whisper_name(settings: Settings) -> str:
    return settings.stt.model or WHISPER_MODELS[settings.stt.profile]


def whisper_path(settings: Settings) -> Path:
    from junod.weights.locate import model_path

    return model_path(whisper_name(settings), models_dir(settings))


def llm_path(settings: Settings) -> Path:
    from junod.weights.locate import model_path

    return model_path(settings.extract.model, models_dir(settings))


def gate_models(settings: Settings) -> GateModels:
    """Where the gate's weights lie, whichever embedding model is configured.

    Raises:
        ModelError: some are not installed.
    """
    from junod.extract.gate_models import GateModels
    from junod.weights.locate import model_path

    folder = models_dir(settings)
    return GateModels(
        llm=llm_path(settings),
        base=model_path(GATE_BASE, folder),
        lower=model_path(GATE_LOWER, folder),
        own=calibrations_dir(),
    )


def build_transcriber(settings: Settings) -> WhisperTranscriber:
    from junod.stt.whisper import WhisperTranscriber

    return WhisperTranscriber(whisper_path(settings), settings.stt)


def open_store(settings: Settings, *, read_only: bool = False, clock: Clock | None = None) -> MemoryStore:
    """Open the configured database.

    Raises:
        StoreError: see `MemoryStore.open`.
    """
    from junod.memory.store import MemoryStore

    clock = clock or SystemClock()
    store = MemoryStore.open(
        database_path(settings), clock=clock, household_id=settings.household.id, read_only=read_only
    )
    if not read_only:
        finish_forgetting(store)
    return store


def finish_forgetting(store: MemoryStore) -> None:
    """Erase what was forgotten long enough ago, as nobody may have been there to do it; a busy database can wait."""
    from junod.errors import StoreError

    try:
        store.erase_forgotten()
    except StoreError as error:
        if error.permanent:
            store.close()
            raise


def masked(text: str) -> str:
    """Text without credentials."""
    from junod.redact.credentials import mask

    return mask(text).text


def mask_passage(passage: Passage) -> Passage:
    """Transcript and context without credentials, each masked in the light of the other."""
    from junod.redact.credentials import mask, mask_all

    return replace(
        passage,
        transcript=mask(passage.transcript, passage.context).text,
        context=tuple(mask_all([*passage.context, passage.transcript])[:-1]),
    )


def build_timekeeper(settings: Settings) -> Timekeeper:
    """The machine's clock, with what is known about it."""
    return Timekeeper(SystemClock(), SystemSync(settings.clock.trust))


def build_redater(settings: Settings, store: MemoryStore, keeper: Timekeeper, bus: EventBus) -> Redater:
    """What puts dates right that were heard since this boot, before the clock was set."""
    from junod.memory.unsynced import UnsyncedMemories
    from junod.redating import Redater
    from junod.when.resolve import resolve

    undated = UnsyncedMemories(store.sessions)
    undated.give_up_others(keeper.boot_id)
    zone, day_first = household_zone(settings), settings.household.day_first
    return Redater(undated, keeper, resolve, bus, zone=zone, day_first=day_first)


def build_hearing(
    settings: Settings,
    store: MemoryStore,
    contexts: Contexts,
    bus: EventBus,
    keeper: Timekeeper | None = None,
    talk: Talk | None = None,
) -> Hearing:
    """Speech-to-text, guards, debounce and mask, in front of the spool.

    Args:
        keeper: whose steady clock stamps what is heard; None = it is stamped by a clock beyond doubt.
        talk: follows what is being said; None = nobody does.
    """
    from junod.debounce import Debouncer, Place
    from junod.memory.talk import NoTalk
    from junod.pipeline import Hearing, HearingParts, unchanged
    from junod.stt.guards import guard

    place = Place(settings.device.room, settings.device.id, settings.household.id)
    parts = HearingParts(
        transcriber=build_transcriber(settings),
        guard=guard,
        debouncer=Debouncer(settings.debounce, place, new_passage_id),
        mask=mask_passage,
        spool=store,
        contexts=contexts,
        zone=household_zone(settings),
        by_voice=settings.privacy.by_voice,
        max_waiting=settings.extract.queue,
        stamp=keeper.stamp if keeper else unchanged,
        talk=talk or NoTalk(),
    )
    return Hearing(parts, bus)


def new_passage_id() -> str:
    return str(uuid4())


@dataclass(frozen=True, slots=True)
class Judge:
    """The models that judge a passage, loaded once."""

    gate: Gate
    pieces: PieceJudge
    llm: LanguageModel


def load_judge(settings: Settings, *, held_out: bool = False) -> Judge:
    """Load the gate and the language model, and see that it computes what it should.

    Args:
        held_out: judge passages of the shipped corpus, and no others, by judges that never saw their author.

    Raises:
        ModelError: weights are missing, damaged, or compute nonsense on this machine.
        CalibrationError: this language model has no calibration, so it cannot be precise.
    """
    from junod.extract.gate_files import held_out_gate, load_gate
    from junod.extract.local_llm import LocalLanguageModel
    from junod.extract.prompt import build_prompt

    models, target = gate_models(settings), settings.extract.target_precision
    judges = (
        held_out_gate(models, target_precision=target)
        if held_out
        else load_gate(models, target_precision=target, threads=settings.memory.embedding_threads)
    )
    llm = LocalLanguageModel(models.llm, settings.extract)
    llm.self_test()
    llm.hold(build_prompt(WARM_UP))
    return Judge(judges.gate, judges.pieces, llm)


def calibrations_dir() -> Path:
    """Where `junod calibrate` writes."""
    return data_dir() / "gate"


def build_extractor(
    settings: Settings, judge: Judge, zone: ZoneInfo, rules: Callable[[], Sequence[RuleSpec]] = tuple
) -> PassageExtractor:
    """The extractor of one household.

    Args:
        rules: those in force, asked for at each time phrase: a thing may have its usual hour.
    """
    from junod.extract.extractor import Household, PassageExtractor
    from junod.extract.gate_files import SHIPPED
    from junod.redact.credentials import mask
    from junod.rules.apply import usual_time
    from junod.when.choice import resolve_talk
    from junod.when.learned import LEARNED_FILE, load_learned
    from junod.when.resolve import resolve

    def resolve_by_rules(phrase: str, *, hint: str, **said: Any) -> Resolution:
        return resolve(usual_time(phrase, hint, rules()), hint=hint, **said)

    home = Household(zone, settings.household.day_first)
    return PassageExtractor(
        judge.gate,
        judge.llm,
        settings.extract,
        mask=mask,
        mask_passage=mask_passage,
        resolve=resolve_by_rules,
        home=home,
        pieces=judge.pieces,
        resolve_talk=partial(resolve_talk, learned=load_learned(data_file(f"{SHIPPED}/{LEARNED_FILE}"))),
    )


def rule_book(store: MemoryStore, reminders: RemindersSettings | None = None, ask: Ask | None = None) -> RuleBook:
    """The household's rules over an open store.

    Args:
        reminders: for the dry run of rules about them.
        ask: reads what no pattern reads.
    """
    from junod.audit import is_suspect
    from junod.rules.book import RuleBook

    return RuleBook(store, mask=masked, suspects=is_suspect, ask=ask, reminders=reminders)


def active_rules(store: MemoryStore) -> tuple[RuleSpec, ...]:
    """What is in force, in the order in which it is applied."""
    return rule_book(store).active()


def under_rules(
    settings: Settings, extractor: PassageExtractor, book: RuleBook, bus: EventBus, ask: Ask | None = None
) -> RuledExtractor:
    """The extractor between the household's rules."""
    from junod.rules.extractor import RuledExtractor

    keep = timedelta(days=settings.rules.proposal_days)
    return RuledExtractor(extractor, book, bus.publish, ask=ask, listens=settings.rules.listen, keep_proposals=keep)


def reader(settings: Settings, llm: LanguageModel) -> Ask | None:
    """Reads declarations that no pattern reads; None where the settings want patterns alone."""
    from junod.rules.asking import asking

    if not settings.rules.ask_model:
        return None
    return asking(llm, settings.extract.deadline_s, after_asking=lambda: make_ready(llm))


def make_ready(llm: LanguageModel) -> None:
    """Evaluate what all prompts of the extractor share, after somebody else used the model."""
    from junod.extract.prompt import build_prompt

    llm.read(build_prompt(Passage("make-ready", "", datetime(2026, 1, 1, tzinfo=UTC), "kitchen")))


def build_deciding(
    settings: Settings,
    store: MemoryStore,
    contexts: Contexts,
    bus: EventBus,
    embedder: Embedder | None = None,
    keeper: Timekeeper | None = None,
) -> Deciding:
    """The judge and what it needs; an embedder that others use too saves its memory."""
    from junod.dedup.loop import Deduper
    from junod.memory import entity_index
    from junod.pipeline import Deciding, unchanged

    embedder = embedder or build_embedder(settings)
    judge = load_judge(settings)
    book = rule_book(store)
    extractor = build_extractor(settings, judge, household_zone(settings), book.active)
    deduper = Deduper(store, settings.dedup, judge.llm, embedder, after_asking=lambda: make_ready(judge.llm))
    restamp = keeper.restamp if keeper else unchanged
    ruled = under_rules(settings, extractor, book, bus, reader(settings, judge.llm))
    chores = (lambda: entity_index.fill(store.sessions),)
    return Deciding(ruled, embedder, store, contexts, bus, deduper, restamp, chores)
