"""The stages in speech order, each a small object that gets its input and hands on its output.

    frames ─► Listening ─► segments and marks ─► Hearing ─► passages in the spool ─► Deciding ─► memories

`replay` runs them one after the other in one thread; the daemon gives each its own thread and puts a mailbox
between them. Neither the stages nor this module know which.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, tzinfo
from typing import TYPE_CHECKING, Protocol

from junod.debounce import Debouncer
from junod.errors import ExtractionError, JunodError, NotFoundError, TranscriptionError
from junod.events import (
    Discarded,
    EventBus,
    Heard,
    MemoriesMerged,
    MemoryRepeated,
    MemorySaved,
    PassageClosed,
    PassageDecided,
    StageFailed,
)
from junod.listening import EarItem as EarItem
from junod.listening import Listening as Listening
from junod.listening import VoiceActivityLike as VoiceActivityLike
from junod.memory.embedder import Backlog, Embedder, Embedding, embed_texts
from junod.memory.known import same_words
from junod.memory.reembedding import embed_piece
from junod.memory.store import Found
from junod.memory.talk import NoTalk, Talk
from junod.records import (
    SAMPLE_RATE_HZ,
    AudioMark,
    Decision,
    Memory,
    Outcome,
    Passage,
    Segment,
    Transcription,
    Utterance,
)
from junod.sections import DebounceSettings
from junod.spoken_orders import find_order
from junod.turn import ALONE, Turn
from junod.turn import Contexts as Contexts

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from junod.dedup.loop import Deduper

log = logging.getLogger(__name__)

WIPE_LIMIT_S = 6.0
"""Longer than the store waits for a locked database."""
MAX_ATTEMPTS = 2
"""A passage whose LLM call failed is tried once more, then parked where a person can see it."""


class TranscriberLike(Protocol):
    def transcribe(self, samples: NDArray[np.float32]) -> Transcription: ...


class GuardedLike(Protocol):
    @property
    def text(self) -> str: ...

    @property
    def dropped_reason(self) -> str | None: ...


class ExtractorLike(Protocol):
    def decide(self, passage: Passage) -> Decision: ...


class SpoolLike(Protocol):
    def spool_passage(self, passage: Passage) -> bool: ...

    def park_overflow(self, keep: int) -> int: ...


Stamp = Callable[[Passage], Passage]


def unchanged(passage: Passage) -> Passage:
    return passage


@dataclass(frozen=True, slots=True)
class HearingParts:
    """What Hearing works with; each a protocol, a pure function or a pure object."""

    transcriber: TranscriberLike
    guard: Callable[[Transcription, float], GuardedLike]
    debouncer: Debouncer
    mask: Callable[[Passage], Passage]
    """Masks credentials in transcript and context, before anything is written."""
    spool: SpoolLike
    contexts: Contexts
    zone: tzinfo
    by_voice: bool = True
    """Obey orders by voice; else they are heard like all other speech."""
    max_waiting: int = 64
    """Passages that may wait in the spool; older ones are parked, in sight, when the LLM cannot keep up."""
    stamp: Stamp = unchanged
    """The moments of a passage by the wall clock: segments may come from a clock of their own."""
    talk: Talk = field(default_factory=NoTalk)
    """Follows what is being said, for assistants."""


class Hearing:
    """Segments and marks, in order, to masked passages in the spool."""

    def __init__(self, parts: HearingParts, bus: EventBus) -> None:
        self._parts = parts
        self._bus = bus
        self._lock = threading.Lock()
        """Held from the last look at `Turn.is_wanted` until the spool is written, and by `wipe`."""
        self._unwritten: deque[Passage] = deque()

    def take(self, item: EarItem, turn: Turn = ALONE) -> int:
        """Returns how many passages were closed.

        Raises:
            StoreError: the spool cannot be written; the passage stays here and is written at the next call.
        """
        if isinstance(item, AudioMark):
            with self._lock:
                return self._note(item, turn) if turn.is_wanted() else 0
        utterance = self._understand(item)
        if utterance is None or not turn.is_wanted():
            return 0
        if self._parts.by_voice and (order := find_order(utterance.text)):
            turn.obey(order, self._shown(utterance).spoken_at)
            return 0
        with self._lock:
            return self._accept(utterance, turn) if turn.is_wanted() else 0

    def write_waiting(self) -> int:
        """Try again to write what could not be written; how many passages were."""
        with self._lock:
            return self._spool((), ALONE)

    def flush(self, turn: Turn = ALONE) -> int:
        with self._lock:
            return self._spool(self._parts.debouncer.flush(), turn)

    def wipe(self, timeout_s: float = WIPE_LIMIT_S) -> bool:
        """Forget what was heard and is no passage in the spool yet, and all context; from any thread.

        False where the spool was being written for so long that it had to be done beside it.
        """
        is_alone = self._lock.acquire(timeout=timeout_s)
        try:
            self._parts.debouncer.wipe()
            self._parts.contexts.wipe()
            self._parts.talk.wipe()
            self._unwritten.clear()
        finally:
            if is_alone:
                self._lock.release()
        return is_alone

    def reconfigure(self, settings: DebounceSettings) -> None:
        """Close passages by new settings; what was heard stays."""
        self._parts.debouncer.reconfigure(settings)

    def _understand(self, segment: Segment) -> Utterance | None:
        try:
            transcription = self._parts.transcriber.transcribe(segment.samples)
        except TranscriptionError as error:
            log.error("A segment could not be transcribed: %s", error.code)
            self._bus.publish(StageFailed("stt", error.code, error.message))
            return None
        speech_s = (segment.speech_end_sample - segment.speech_first_sample) / SAMPLE_RATE_HZ
        guarded = self._parts.guard(transcription, speech_s)
        if guarded.dropped_reason or not guarded.text:
            self._bus.publish(Discarded("guards", guarded.dropped_reason or "empty", segment.first_sample))
            return None
        return Utterance(
            text=guarded.text,
            first_sample=segment.speech_first_sample,
            end_sample=segment.speech_end_sample,
            spoken_at=self._spoken_at(segment),
            avg_logprob=transcription.avg_logprob,
        )

    def _accept(self, utterance: Utterance, turn: Turn) -> int:
        shown = self._shown(utterance)
        self._bus.publish(Heard(replace(utterance, text=shown.transcript, spoken_at=shown.spoken_at)))
        closed = self._parts.debouncer.hear(utterance)
        if closed:
            self._parts.talk.pause()
        self._parts.talk.hear(shown.transcript)
        return self._spool(closed, turn)

    def _note(self, mark: AudioMark, turn: Turn) -> int:
        closed = self._parts.debouncer.mark(mark)
        if closed:
            self._parts.talk.pause()
        return self._spool(closed, turn)

    def _shown(self, utterance: Utterance) -> Passage:
        """The utterance as a face may show it: its credentials masked, in the light of what was said before."""
        earlier = self._parts.debouncer.recent()
        said = Passage("", utterance.text, utterance.spoken_at, "kitchen", earlier)
        return self._parts.mask(self._parts.stamp(said))

    def _spoken_at(self, segment: Segment) -> datetime:
        offset_s = (segment.speech_first_sample - segment.first_sample) / SAMPLE_RATE_HZ
        return datetime.fromtimestamp(segment.wall_time_s + offset_s, UTC).astimezone(self._parts.zone)

    def _spool(self, passages: Sequence[Passage], turn: Turn) -> int:
        """Write them, and first what could not be written before. What fails stays, in order, for the next time."""
        for passage in passages:
            masked = replace(self._parts.mask(self._parts.stamp(passage)), media=turn.media)
            self._parts.contexts.keep(masked.id, masked.context)
            self._keep_unwritten(masked)
        written = 0
        while self._unwritten:
            masked = self._unwritten[0]
            if self._parts.spool.spool_passage(replace(masked, context=())):
                self._bus.publish(PassageClosed(masked))
            self._unwritten.popleft()
            written += 1
        if written and (parked := self._parts.spool.park_overflow(self._parts.max_waiting)):
            log.warning("%d passages were parked: the language model cannot keep up", parked)
        return written

    def _keep_unwritten(self, passage: Passage) -> None:
        """As many as may wait in the spool; beyond that the oldest is lost, and counted."""
        self._unwritten.append(passage)
        if len(self._unwritten) > self._parts.max_waiting:
            self._unwritten.popleft()
            self._bus.publish(Discarded("spool", "not-writable", 0))


class TakenLike(Protocol):
    @property
    def passage(self) -> Passage: ...

    @property
    def attempts(self) -> int: ...


class DecisionStore(Backlog, Protocol):
    """What Deciding needs of the store."""

    def next_passage(self) -> TakenLike | None: ...

    def retry(self, passage_id: str, code: str) -> None: ...

    def park(self, passage_id: str, code: str) -> None: ...

    def keyword(self, text: str, k: int) -> Sequence[Found]: ...

    def decide(
        self, passage_id: str, decision: Decision, embeddings: Sequence[Embedding | None] = ()
    ) -> tuple[Memory, ...]: ...


CHORE_PIECES = 10
"""Of one chore in one idle moment: speech comes first."""


class Deciding:
    """Takes the oldest passage of the spool and settles it: kept, thrown away, tried again or parked."""

    def __init__(
        self,
        extractor: ExtractorLike,
        embedder: Embedder,
        store: DecisionStore,
        contexts: Contexts,
        bus: EventBus,
        deduper: Deduper | None = None,
        restamp: Stamp = unchanged,
        chores: Sequence[Callable[[], int]] = (),
    ) -> None:
        """See the class.

        Args:
            restamp: puts the moments of a passage right that waited while the clock was set.
            chores: each does a small piece of work in an idle moment and says how much there was; 0 = nothing left.
        """
        self._restamp = restamp
        self._deduper = deduper
        self._chores = chores
        self._contexts = contexts
        self._extractor = extractor
        self._embedder = embedder
        self._store = store
        self._bus = bus

    def decide_next(self) -> Decision | None:
        """Settle one passage; None when the spool is empty.

        Raises:
            StoreError: the decision cannot be written. The passage stays in the spool.
        """
        taken = self._store.next_passage()
        if taken is None:
            return None
        try:
            passage = replace(self._restamp(taken.passage), context=self._contexts.of(taken.passage.id))
            decision, repeated = self._without_known(self._extractor.decide(passage))
        except ExtractionError as error:
            return self._failed(taken, error)
        memories = self._keep(decision)
        self._contexts.drop(decision.passage_id)
        for memory in memories:
            self._bus.publish(MemorySaved(memory))
        for memory in repeated:
            self._bus.publish(MemoryRepeated(memory))
        self._bus.publish(PassageDecided(decision))
        return decision

    def catch_up(self, may_go_on: Callable[[], bool] = lambda: True) -> int:
        """Give memories written by other hands, or before a change of models, their vectors; do a little of each chore.

        Returns how many got a vector. Between two pieces `may_go_on` is asked.
        """
        embedded = 0
        while may_go_on() and (piece := embed_piece(self._store, self._embedder)):
            embedded += piece
        for chore in self._chores:
            for _ in range(CHORE_PIECES):
                if not (may_go_on() and chore()):
                    break
        return embedded

    def tidy(self, now: datetime, may_go_on: Callable[[], bool]) -> bool:
        """Put memories together that say the same; False where it stopped early because `may_go_on` said so.

        Raises:
            StoreError: see `Deduper.run`.
        """
        if self._deduper is None:
            return True
        report = self._deduper.run(now, may_go_on=may_go_on)
        for one in report.merged:
            self._bus.publish(MemoriesMerged(one.memory, one.merge.new.supersedes))
        if report.llm_failures:
            self._bus.publish(StageFailed("dedup", "llm", f"{report.llm_failures} questions went unanswered."))
        return report.is_complete

    def _keep(self, decision: Decision) -> tuple[Memory, ...]:
        embeddings = embed_texts(self._embedder, [new.memory for new in decision.memories])
        return self._store.decide(decision.passage_id, decision, embeddings)

    def _without_known(self, decision: Decision) -> tuple[Decision, tuple[Memory, ...]]:
        """Drop what the store already holds: the tail of a split passage, a toast read aloud, a second mention.

        Returns the decision without it, and the memories it repeats.
        """
        known = {new: found for new in decision.memories if (found := same_words(self._store, new))}
        fresh = tuple(new for new in decision.memories if new not in known)
        if fresh or not known:
            return replace(decision, memories=fresh), tuple(known.values())
        rejected = replace(decision, outcome=Outcome.REJECTED, stage="store", reason="already-known", memories=())
        return rejected, tuple(known.values())

    def _failed(self, taken: TakenLike, error: JunodError) -> Decision:
        """The LLM failed: the passage is never lost and never taken for an empty one."""
        log.warning("A passage could not be decided: %s (%s)", error.code, error.message)
        self._bus.publish(StageFailed("extract", error.code, error.message))
        passage = taken.passage
        last_try = error.permanent or taken.attempts >= MAX_ATTEMPTS
        settle = self._store.park if last_try else self._store.retry
        try:
            settle(passage.id, error.code)
        except NotFoundError:  # somebody forgot it while the model was at work
            return Decision(passage.id, Outcome.REJECTED, "store", reason="forgotten")
        return Decision(passage.id, Outcome.PARKED, "llm", reason=error.code if last_try else "will-retry")
