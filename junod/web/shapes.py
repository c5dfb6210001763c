"""What the API takes and gives. Times are ISO 8601 with offset, in the household's zone."""

from __future__ import annotations

from datetime import date, datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from junod.memory.codec import MAX_MEMORY_CHARS

Text = Field(min_length=1, max_length=MAX_MEMORY_CHARS)


class Given(BaseModel):
    """A request's body: unknown keys are mistakes."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)


class ErrorOut(BaseModel):
    error: str
    """A stable code."""
    message: str
    hint: str = ""


class MemoryOut(BaseModel):
    id: str
    memory: str
    """Markdown as stored: show `html` or `title`, never this as HTML."""
    transcript: str
    room: str
    device_id: str
    spoken_at: datetime
    created_at: datetime
    expires_at: datetime | None
    archived: bool
    source: str
    confidence: float
    supersedes: list[str]
    superseded_by: list[str]
    html: str
    title: str
    tags: list[str]
    """By the rules in force now."""
    can_undo: bool
    age: str


class ContextOut(BaseModel):
    heard: bool
    """Whether somebody spoke within a minute."""
    text: str
    """The memories as data for a prompt; '' where none bears on what was said."""
    memories: list[MemoryOut]


class MemoriesOut(BaseModel):
    memories: list[MemoryOut]
    note: str = ""
    """Something the reader should know, for example that the search was by words alone."""


class LinkOut(BaseModel):
    old: str
    new: str
    reason: str
    at: datetime
    withdrawn_at: datetime | None = None
    """When that was taken back; null = it holds."""


class HistoryOut(BaseModel):
    memories: list[MemoryOut]
    links: list[LinkOut]


class ForgottenOut(BaseModel):
    forgotten: list[str]
    undo_until: datetime | None = None


class NewMemoryIn(Given):
    text: str = Text
    until: str = Field("", max_length=200)


class EditIn(Given):
    text: str = Text


class TickIn(Given):
    item: str = Field(min_length=1, max_length=400)
    done: bool = True


class EarOut(BaseModel):
    state: str
    muted: bool
    off_record_until: datetime | None
    last_audio_age_s: float | None
    level_dbfs: float | None
    media: str
    heard_today: int
    kept_today: int
    problem: str = ""
    """What is wrong with the ear, for a person."""


class OffRecordIn(Given):
    minutes: int | None = Field(None, ge=1, le=24 * 60)
    until: Literal["morning"] | None = None


class ForgetLastIn(Given):
    minutes: int = Field(ge=1, le=24 * 60)


class MediaIn(Given):
    state: Literal["on", "off", "auto"]


class DeviceOut(BaseModel):
    id: str
    room: str


class DayEntryOut(BaseModel):
    id: str
    time: str | None
    text: str


class DayOut(BaseModel):
    date: date
    label: str
    entries: list[DayEntryOut]


class ShoppingOut(BaseModel):
    memory_id: str
    item: str
    done: bool


class ReminderOut(BaseModel):
    id: str
    text: str
    due: datetime | None


class CountsOut(BaseModel):
    heard: int
    kept: int


class HomeOut(BaseModel):
    now: datetime
    zone: str
    device: DeviceOut
    ear: EarOut
    days: list[DayOut]
    shopping: list[ShoppingOut]
    reminders: list[ReminderOut]
    counts: CountsOut
    night: bool
    unsynced: bool
    """The clock was not set when something of this was heard, so its times may be wrong."""


class NodeOut(BaseModel):
    id: str
    kind: Literal["memory", "person", "place", "thing"]
    label: str


class EdgeOut(BaseModel):
    source: str
    target: str


class ConstellationOut(BaseModel):
    nodes: list[NodeOut]
    links: list[EdgeOut]


class TrustDayOut(BaseModel):
    date: date
    heard: int
    kept: int


class StageOut(BaseModel):
    name: str
    thrown_away: int


class TrustOut(BaseModel):
    """Counts only, never content."""

    today: CountsOut
    days: list[TrustDayOut]
    stages: list[StageOut]
    database: str
    size_bytes: int
    since: datetime | None


class ForgetAllIn(Given):
    typed: str = Field(max_length=100)


class SetupOut(BaseModel):
    device_id: str
    room: str
    microphone: str
    timezone: str
    """'' = the system's."""
    zone: str
    """The one in force."""
    language: str
    day_first: bool
    rooms: list[str]
    path: str
    """The file that a change is written to; '' where none can be."""
    is_first_run: bool


class SetupIn(Given):
    """Only what is given is changed."""

    device_id: str | None = Field(None, min_length=1, max_length=64)
    room: Literal["kitchen", "living_room", "bedroom"] | None = None
    microphone: str | None = Field(None, max_length=200)
    timezone: str | None = Field(None, max_length=64)
    language: str | None = Field(None, min_length=2, max_length=8)
    day_first: bool | None = None


class SavedSetupOut(BaseModel):
    path: str
    changed: list[str]
    """Keys written."""
    needs_restart: list[str]
    """Those of them that count only after the daemon's next start."""


class MicrophoneOut(BaseModel):
    name: str
    channels: int
    rate_hz: int
    is_default: bool


class MicrophonesOut(BaseModel):
    microphones: list[MicrophoneOut]
    chosen: str
    """Part of a name, as in the settings; '' = the default one."""


class ModelOut(BaseModel):
    name: str
    use: str
    present: bool
    problem: str = ""
    hint: str = ""


class ModelsOut(BaseModel):
    models: list[ModelOut]


class LanIn(Given):
    on: bool


class PairingOut(BaseModel):
    on: bool
    home: str
    """Address on the device itself."""
    url: str = ""
    """Address for other devices; with a code, that of the page where it is typed."""
    code: str = ""
    qr_svg: str = ""
    expires_at: datetime | None = None


class PairIn(Given):
    code: str = Field(min_length=1, max_length=32)
    name: str = Field("phone", min_length=1, max_length=64)


class PairedOut(BaseModel):
    id: str
    name: str
    token: str
    """Shown this once; only its hash is kept."""


class PairedDeviceOut(BaseModel):
    id: str
    name: str
    scope: Literal["device", "feed"]
    created_at: datetime
    last_seen_at: datetime | None


class DevicesOut(BaseModel):
    devices: list[PairedDeviceOut]


class FeedIn(Given):
    name: str = Field("calendar", min_length=1, max_length=64)


class FeedOut(BaseModel):
    id: str
    name: str
    token: str
    calendar_url: str
    shopping_url: str


class StageHealthOut(BaseModel):
    name: str
    state: str
    alive: bool
    age_s: float


class ReadingOut(BaseModel):
    """How far the embedding model is with reading all memories."""

    done: int
    total: int


class HealthOut(BaseModel):
    alive: bool
    problems: list[str]
    """What is wrong, for a person; the words of `junod status`."""
    stages: list[StageHealthOut]
    ear: EarOut
    reading_again: ReadingOut | None = None
    """While a change of the embedding model is under way; the old one answers meanwhile."""


class OkOut(BaseModel):
    ok: bool = True
