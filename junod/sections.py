"""The sections of the settings, each what one stage or face gets. Defaults, ranges and units are here."""

from __future__ import annotations

from pathlib import Path
from typing import Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import BaseModel, ConfigDict, Field, field_validator

Room = Literal["kitchen", "living_room", "bedroom"]


class Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class HouseholdSettings(Section):
    """Who lives here."""

    id: str = Field("home", min_length=1, max_length=64, description="Name of the household; every row carries it.")
    timezone: str = Field("", description="IANA zone, for example Europe/Berlin. Empty: the system's zone.")
    day_first: bool = Field(True, description="3/4 is the third of April (true, British) or March the fourth (false).")

    @field_validator("timezone")
    @classmethod
    def _known_zone(cls, value: str) -> str:
        if value:
            check_zone(value)
        return value


class DeviceSettings(Section):
    """Where this display stands."""

    id: str = Field("display", min_length=1, max_length=64, description="Name of this device.")
    room: Room = Field("kitchen", description="kitchen, living_room or bedroom: how strict the extractor is.")


class AudioSettings(Section):
    """The microphone."""

    device: str = Field("", description="Part of the capture device's name (never a number). Empty: system default.")
    frame_ms: Literal[10, 20, 30] = Field(30, description="Length of a frame: 10, 20 or 30.")
    ring_s: float = Field(60.0, ge=5, le=600, description="Audio held for a slow listener; the oldest is dropped.")
    stall_s: float = Field(2.0, ge=0.5, le=30, description="No frame for this long: the microphone is lost.")
    reopen_s: float = Field(1.0, ge=0.1, le=60, description="First pause before it is opened again; doubles to 30 s.")
    failover: bool = Field(False, description="Use another microphone while the named one is missing.")
    process: bool = Field(True, description="The sound driver in a process of its own, which may hang or crash.")


class PrivacySettings(Section):
    """Off the record, and forgetting."""

    morning: str = Field("07:00", pattern=r"^([01]\d|2[0-3]):[0-5]\d$", description="When 'until morning' ends, HH:MM.")
    off_record_min: float = Field(60.0, ge=1, le=1440, description="Minutes off the record where nobody says how long.")
    forget_that_s: float = Field(120.0, ge=10, le=3600, description="How far back 'junod, forget that' reaches.")
    by_voice: bool = Field(True, description="Obey 'junod, off the record', 'junod, mute' and 'junod, forget that'.")


class VadSettings(Section):
    """Voice activity: energy, then webrtcvad, then silero."""

    energy_floor_dbfs: float = Field(-55.0, ge=-90, le=-20, description="Quieter frames are never speech.")
    webrtc_mode: int = Field(2, ge=0, le=3, description="Aggressiveness of the first gate.")
    threshold: float = Field(0.5, gt=0, lt=1, description="Speech probability at which silero opens a segment.")
    release: float = Field(0.35, gt=0, lt=1, description="Probability under which speech counts as over.")
    pre_roll_ms: int = Field(400, ge=0, le=2000, description="Audio kept from before the first speech.")
    hangover_ms: int = Field(600, ge=100, le=3000, description="Silence that closes a segment.")
    min_speech_ms: int = Field(200, ge=0, le=2000, description="Less speech than this is dropped.")
    max_segment_s: float = Field(28.0, ge=5, le=28, description="Hard cap; split at the quietest point before it.")
    no_frames_s: float = Field(1.0, ge=0.2, le=10, description="An open segment closes when frames stop this long.")


class SttSettings(Section):
    """Speech-to-text."""

    profile: Literal["lite", "standard"] = Field("standard", description="lite = tiny.en, standard = base.")
    model: str = Field("", description="Folder of another CTranslate2 Whisper model. Empty: the profile's.")
    language: str = Field("en", min_length=2, max_length=8, description="Fixed language of the household.")
    threads: int = Field(2, ge=1, le=16, description="CPU threads.")


class DebounceSettings(Section):
    """Utterances to passages."""

    quiet_s: float = Field(5.0, ge=1, le=60, description="Seconds without speech that close a passage.")
    cap_s: float = Field(45.0, ge=10, le=600, description="A passage longer than this is split at its longest pause.")
    cap_words: int = Field(120, ge=20, le=1000, description="The same, in words.")
    context_utterances: int = Field(12, ge=0, le=50, description="Utterances remembered as context; never written.")
    context_age_s: float = Field(300.0, ge=0, le=3600, description="Older utterances are no context.")


class ExtractSettings(Section):
    """The language model that decides what is worth keeping."""

    model: str = Field(
        "qwen2.5-coder-1.5b-instruct-q4_k_m", min_length=1, description="Name in the manifest, or path of a GGUF file."
    )
    threads: int = Field(2, ge=1, le=16, description="CPU threads.")
    context_tokens: int = Field(3072, ge=1024, le=32768, description="Context window; passages are cut to fit.")
    max_tokens: int = Field(320, ge=64, le=2048, description="Longest answer.")
    deadline_s: float = Field(60.0, ge=1, le=600, description="Longest time for one call of the model.")
    max_memories: int = Field(4, ge=1, le=10, description="Most memories one passage may leave.")
    target_precision: float = Field(0.96, ge=0.5, le=0.999, description="Precision the gate's threshold is set for.")
    queue: int = Field(64, ge=4, le=1000, description="Passages waiting in the spool before old ones are parked.")


class MemorySettings(Section):
    """The store."""

    path: Path | None = Field(None, description="Database file. Empty: junod.db in the data folder.")
    embedding_model: str = Field(
        "all-MiniLM-L6-v2", min_length=1, description="Name in the manifest, a folder, or a GGUF embedding model."
    )
    embedding_dims: int = Field(1024, ge=32, le=1024, description="Most numbers of a GGUF model's vector kept.")
    embedding_threads: int = Field(1, ge=1, le=16, description="CPU threads of the embedding model.")
    old_vectors_days: float = Field(
        7.0, ge=0, le=365, description="Vectors of an earlier model are so long kept once the new one has read all."
    )
    follow_talk: bool = Field(
        True, description="Look up what bears on what is being said, for assistants that ask. Words stay in memory."
    )
    expiry_interval_s: float = Field(60.0, ge=1, le=3600, description="How often expired memories are erased.")
    forget_grace_s: float = Field(60.0, ge=0, le=3600, description="What is forgotten can so long be brought back.")


class ClockSettings(Section):
    """Whether the machine's clock can be believed."""

    trust: Literal["auto", "always", "sync"] = Field(
        "auto", description="auto: set by a time server or by a clock that ran on. sync: by a time server. always."
    )


class DedupSettings(Section):
    """Putting memories together that say the same, by superseding."""

    interval_s: float = Field(1200.0, ge=60, le=86_400, description="How often, in an idle moment.")
    window_h: float = Field(24.0, ge=1, le=168, description="Hours back that count as recent; older ones are history.")
    similarity: float = Field(0.6, ge=0, le=1, description="Cosine at which one word in common is worth a look.")
    chunk: int = Field(100, ge=10, le=1000, description="Memories a chunk when the whole history is walked (--full).")
    overlap: int = Field(10, ge=0, le=100, description="Memories that neighbouring chunks share.")
    max_supersedes: int = Field(50, ge=2, le=1000, description="Most memories one run may supersede.")
    max_llm_calls: int = Field(12, ge=0, le=200, description="Most questions to the language model in one run.")
    llm_deadline_s: float = Field(60.0, ge=1, le=600, description="Longest time for one of them.")


class HabitsSettings(Section):
    """Habits, seen from what happens again and again. They are shown as habits only, never as facts."""

    enabled: bool = Field(True, description="Learn habits. Off: nothing new is learned; what was stays until deleted.")
    bedrooms: bool = Field(False, description="Learn from bedrooms too.")
    interval_s: float = Field(900.0, ge=60, le=86_400, description="How often new memories are looked at.")
    half_life_days: float = Field(21.0, ge=1, le=365, description="A habit that rests is half as strong after this.")
    gain: float = Field(0.3, gt=0, lt=1, description="Share of what is missing to full strength that a repeat adds.")
    archive_below: float = Field(0.15, ge=0, lt=1, description="A weaker habit is put away, and back by repetition.")
    min_occurrences: int = Field(3, ge=3, le=20, description="Fewer occurrences are no habit.")
    min_weeks: int = Field(3, ge=3, le=20, description="They must fall into so many different weeks.")
    max_chance: float = Field(0.003, gt=0, le=0.5, description="Shown only if chance would be this regular so rarely.")
    tolerance_min: int = Field(60, ge=10, le=240, description="Minutes around an hour of the week that count as it.")
    window_days: float = Field(84.0, ge=21, le=365, description="Older occurrences do not count for regularity.")
    due_factor: float = Field(1.15, ge=1, le=3, description="Suggest after so many times the usual days.")
    stale_factor: float = Field(2.5, ge=1.5, le=10, description="No longer suggest after so many times the usual days.")
    pause_days: float = Field(14.0, ge=1, le=365, description="No suggestion for so long after a no.")
    history_days: float = Field(180.0, ge=30, le=730, description="Older occurrences and counts are erased.")


class PersonaSettings(Section):
    """Impressions of adults: a feeling tied to a thing, a stable trait. Off unless the household wants them."""

    enabled: bool = Field(False, description="Form and show impressions. Only what is kept from then on is looked at.")
    people: tuple[str, ...] = Field((), max_length=20, description="Names of adults who agreed; about nobody else.")
    household_too: bool = Field(False, description="Also 'we love ...'; who says so, a guest or a child, is not known.")
    half_life_days: float = Field(90.0, ge=7, le=730, description="An impression is half as strong after this.")
    gain: float = Field(0.4, gt=0, lt=1, description="Share of what is missing to full strength that a repeat adds.")
    archive_below: float = Field(0.15, ge=0, lt=1, description="A weaker one is not shown.")
    min_days_feeling: int = Field(2, ge=1, le=20, description="Different days on which a feeling must be borne out.")
    min_days_trait: int = Field(3, ge=2, le=20, description="The same for a trait.")
    max_share: float = Field(0.2, ge=0, le=0.5, description="Largest share of an answer, in number and in tokens.")

    @field_validator("people")
    @classmethod
    def _names(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for name in value:
            if not name.replace("-", "").replace(" ", "").isalpha():
                raise ValueError(f"'{name}' is not a name")
        return value


class LinksSettings(Section):
    """Context that follows links between memories: Sylvie, her mum, the mum's birthday."""

    depth: int = Field(2, ge=0, le=2, description="Links followed from what was found; 0 follows none.")
    budget_tokens: int = Field(800, ge=100, le=4000, description="Tokens of facts and linked memories together.")
    max_linked: int = Field(10, ge=1, le=30, description="Most linked memories.")
    fade: float = Field(0.6, gt=0, lt=1, description="What is left of a memory's score after a link.")
    min_score: float = Field(0.05, ge=0, lt=1, description="Weaker links are not followed.")


_CLOCK = r"^([01]\d|2[0-3]):[0-5]\d$"


class RemindersSettings(Section):
    """Reminders of what has a day or an hour, on the page. Rules of the household make one earlier or want quiet."""

    enabled: bool = Field(True, description="Remind.")
    ahead_min: int = Field(30, ge=1, le=1439, description="Minutes before an appointment; a task is due at its hour.")
    day_at: str = Field("08:00", pattern=_CLOCK, description="Local time to remind of a day without an hour.")
    eve_at: str = Field("18:00", pattern=_CLOCK, description="The same, where a rule says days before.")


class RulesSettings(Section):
    """Rules that the household declares; none is active before a person confirmed it."""

    listen: bool = Field(True, description="Take up rules that are declared aloud, as proposals.")
    ask_model: bool = Field(True, description="Let the language model read declarations that no pattern reads.")
    proposal_days: float = Field(7.0, ge=0.1, le=365, description="A proposal that nobody confirms is erased then.")


class ModelsSettings(Section):
    """Weights."""

    path: Path | None = Field(None, description="Folder of the weights. Empty: models in the data folder.")
    hub: str = Field("https://huggingface.co", description="Where `junod models pull` looks first. Empty: nowhere.")


class BackupSettings(Section):
    """Copies of the database in the folder backups beside it. Erasing erases them too, and a new one is made."""

    enabled: bool = Field(True, description="Make one every night, and one soon after something was erased.")
    hour: int = Field(3, ge=0, le=23, description="Hour of the household's night.")
    keep: int = Field(7, ge=1, le=60, description="How many stay.")


class WebSettings(Section):
    """The touchscreen's page and its server."""

    enabled: bool = Field(True, description="Serve the page while the daemon runs.")
    port: int = Field(8765, ge=1024, le=65_535, description="Port on 127.0.0.1.")
    require_token: bool = Field(False, description="Let only paired devices in, on this machine too.")
    lan: bool = Field(False, description="Serve the local network too, to paired devices alone.")


_HOUR = r"^(([01]\d|2[0-3]):[0-5]\d)?$"


class ScreenSettings(Section):
    """When `junod screen` lights the touchscreen."""

    off_at: str = Field("", pattern=_HOUR, description="Dark from this local time on, for example 22:30. Empty: never.")
    on_at: str = Field("06:30", pattern=_HOUR, description="Lit again from this local time on.")
    wake_s: float = Field(30.0, ge=5, le=3600, description="Lit so long in the dark hours after a toast or a touch.")
    on_command: str = Field("", description="Lights a panel without a backlight of the kernel's. Empty: backlight.")
    off_command: str = Field("", description="Darkens it.")


class LogSettings(Section):
    """Logs never hold speech."""

    level: Literal["debug", "info", "warning", "error"] = Field("info", description="debug, info, warning, error.")


def check_zone(name: str) -> ZoneInfo:
    """The zone called `name`; ValueError names what was given."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ValueError(f"'{name}' is not an IANA time zone such as Europe/Berlin") from error
