"""Frozen records that travel from the microphone to the store. Nothing here imports a heavy package.

Audio time is a count of samples since the start of the stream (an unbounded Python int), never a wall clock:
wall time is carried beside it, stamped once where the audio entered.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SAMPLE_RATE_HZ = 16_000
"""Every record below the capture adapter holds mono audio at this rate."""

ROOMS = ("kitchen", "living_room", "bedroom")


@dataclass(frozen=True, slots=True, eq=False)
class AudioFrame:
    """A block of captured audio, already mono and 16 kHz."""

    first_sample: int
    """Index of its first sample since the start of the stream, lost samples counted."""
    samples: NDArray[np.float32]
    """Shape (n,), range -1 to 1; owned by this record, never a driver's buffer."""
    wall_time_s: float
    """Unix time at which the first sample was heard."""
    lost_samples: int = 0
    """Samples dropped immediately before this frame (a marked gap); 0 = continuous."""

    @property
    def end_sample(self) -> int:
        return self.first_sample + len(self.samples)


class SegmentEnd(StrEnum):
    """Why a segment was closed."""

    HANGOVER = "hangover"
    MAX_LENGTH = "max-length"
    NO_FRAMES = "no-frames"
    GAP = "gap"
    END_OF_STREAM = "end-of-stream"


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """A stretch of audio that holds speech, pre-roll and hangover included."""

    first_sample: int
    samples: NDArray[np.float32]
    """Shape (n,), 16 kHz mono."""
    wall_time_s: float
    """Unix time of the first sample."""
    speech_first_sample: int
    """Where speech itself begins (after the pre-roll)."""
    speech_end_sample: int
    """One past the last sample judged to be speech (before the hangover)."""
    closed_by: SegmentEnd

    @property
    def end_sample(self) -> int:
        return self.first_sample + len(self.samples)

    @property
    def duration_s(self) -> float:
        return len(self.samples) / SAMPLE_RATE_HZ


@dataclass(frozen=True, slots=True)
class Transcription:
    """What a speech-to-text engine made of one segment, before the guards."""

    text: str
    avg_logprob: float
    """Mean log-probability of the text tokens; 0 is certain, below -1 is suspicious."""
    no_speech_prob: float
    """Engine's belief, 0 to 1, that the segment holds no speech."""
    compression_ratio: float
    """len(utf-8) / len(zlib); above 2.4 the text repeats itself."""
    language: str = "en"
    window_s: float = 30.0
    """Length of the audio window that was really decoded."""


@dataclass(frozen=True, slots=True)
class Utterance:
    """A guarded transcription with its place in time."""

    text: str
    first_sample: int
    """First sample of speech."""
    end_sample: int
    """One past the last sample of speech."""
    spoken_at: datetime
    """Aware; the moment the first word was spoken."""
    avg_logprob: float = 0.0


@dataclass(frozen=True, slots=True)
class AudioMark:
    """How far the ear has listened. Travels through the stages in order with segments and utterances."""

    sample: int
    """Samples heard so far."""
    last_speech_sample: int
    """One past the last sample of speech so far; 0 = none yet."""
    is_speaking: bool = False
    """A segment is open."""


class PassageEnd(StrEnum):
    """Why a passage was closed."""

    QUIET = "quiet"
    CAP = "cap"
    END_OF_STREAM = "end-of-stream"


@dataclass(frozen=True, slots=True)
class ClockAnchor:
    """A moment noted while the wall clock was not set: it can be told once that is, until the next boot."""

    boot_id: str
    elapsed_s: float
    """Seconds since that boot."""


@dataclass(frozen=True, slots=True)
class Passage:
    """What the debouncer hands to the extractor: utterances closed by quiet or by a cap."""

    id: str
    transcript: str
    spoken_at: datetime
    """Aware, in the household's zone; dates resolve against this moment, never against now."""
    room: str
    context: tuple[str, ...] = ()
    """Earlier transcripts of the same conversation, oldest first; never a source of memories of their own."""
    utterance_starts: tuple[datetime, ...] = ()
    """When each utterance of the transcript began."""
    device_id: str = ""
    household_id: str = "home"
    closed_by: PassageEnd = PassageEnd.QUIET
    clock_synced: bool = True
    media: str = "auto"
    """Is a television or radio on: 'on', 'off', or 'auto' where nobody has said so."""
    anchor: ClockAnchor | None = None
    """When it began, where the clock was not set."""


@dataclass(frozen=True, slots=True)
class EarSnapshot:
    """The ear as every face shows it."""

    state: str
    """'starting', 'opening', 'listening', 'lost', 'file', 'muted' or 'off-record'."""
    muted: bool
    off_record_until: datetime | None
    """Aware; None = on the record."""
    last_audio_age_s: float | None
    level_dbfs: float | None
    """Loudness of the last 0.3 s; None where nothing is heard."""
    media: str
    """'on', 'off' or 'auto', as on each passage."""
    heard_today: int
    """Utterances heard since local midnight."""
    kept_today: int
    """Memories kept of what was said since local midnight."""
    problem: str = ""
    """What is wrong with the ear or its controls, for a person; '' = nothing."""


class Kind(StrEnum):
    """What a proposed memory is. Drives expiry and wording only; the store keeps no kinds."""

    SHOPPING = "shopping"
    APPOINTMENT = "appointment"
    EVENT = "event"
    REMINDER = "reminder"
    FACT = "fact"


@dataclass(frozen=True, slots=True)
class Proposal:
    """One memory as the generator words it, before verification and dates."""

    kind: Kind
    memory: str
    """Markdown. A shopping list is 'Shopping list:' and a markdown list."""
    quote: str
    """Words of the transcript that bear it out."""
    when: str = ""
    """Time words as spoken, '' = none."""
    items: tuple[str, ...] = ()
    """Items of a shopping list, as spoken."""


@dataclass(frozen=True, slots=True)
class Resolution:
    """A spoken time phrase made absolute."""

    expires_at: datetime | None
    """Aware; None = permanent."""
    said: str = ""
    """How the resolved time reads in a memory, for example 'Tue 31 Mar 2026, 15:00'; '' = no time."""
    recurring: bool = False
    is_past: bool = False
    """The phrase names a moment already over when it was spoken: never stored."""
    approximate: bool = False
    """A nonexistent local time, a fuzzy or an ambiguous phrase: shown on the toast."""


@dataclass(frozen=True, slots=True)
class UnsyncedTime:
    """What dates a memory that was heard while the clock was not set, once it is: arguments of `when.resolve`."""

    anchor: ClockAnchor
    kind: Kind = Kind.REMINDER
    phrase: str = ""
    """Time words as spoken; '' = none."""
    hint: str = ""
    said: str = ""
    """How the time reads in the memory, wrong as it is."""


@dataclass(frozen=True, slots=True)
class NewMemory:
    """A memory ready to be stored: masked, verified, dated."""

    memory: str
    transcript: str
    spoken_at: datetime
    expires_at: datetime | None
    room: str
    device_id: str = ""
    household_id: str = "home"
    source: str = "voice"
    """'voice', 'manual', 'merge' or 'done'."""
    confidence: float = 1.0
    clock_synced: bool = True
    supersedes: tuple[str, ...] = ()
    reason: str = ""
    """Why it supersedes; '' where it supersedes nothing."""
    unsynced: UnsyncedTime | None = None
    """For one heard while the clock was not set."""


@dataclass(frozen=True, slots=True)
class Memory:
    """A stored memory as every face shows it."""

    id: str
    memory: str
    transcript: str
    room: str
    device_id: str
    spoken_at: datetime
    created_at: datetime
    expires_at: datetime | None
    archived: bool
    source: str
    confidence: float
    supersedes: tuple[str, ...] = ()
    superseded_by: tuple[str, ...] = ()
    household_id: str = "home"
    clock_synced: bool = True

    @property
    def is_active(self) -> bool:
        return not self.archived and not self.superseded_by


class Outcome(StrEnum):
    """What became of a passage."""

    KEPT = "kept"
    REJECTED = "rejected"
    PARKED = "parked"


@dataclass(frozen=True, slots=True)
class Decision:
    """The verdict on one passage. Content-free apart from `memories`: safe to journal."""

    passage_id: str
    outcome: Outcome
    stage: str
    """The stage that decided: 'gate', 'generate', 'verify', 'dates', 'kept', 'llm'."""
    score: float | None = None
    """Calibrated probability that the passage holds something to keep, where a gate gave one."""
    reason: str = ""
    """A short stable code, for example 'below-threshold', 'not-grounded'. Never speech."""
    memories: tuple[NewMemory, ...] = field(default=(), repr=False)
