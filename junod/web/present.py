"""Records as the page gets them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from junod.agenda.entries import title
from junod.memory.markdown import plain
from junod.memory.telling import age
from junod.memory.undoing import FRESH
from junod.records import EarSnapshot, Memory
from junod.rules.apply import tags_of
from junod.rules.schema import RuleSpec
from junod.web.markdown import to_html
from junod.web.shapes import EarOut, MemoryOut


@dataclass(frozen=True, slots=True)
class Presenter:
    """Shows memories as seen from one moment in one zone, under the rules in force."""

    now: datetime
    zone: ZoneInfo
    rules: tuple[RuleSpec, ...] = ()

    def memory(self, memory: Memory) -> MemoryOut:
        return MemoryOut(
            id=memory.id,
            memory=plain(memory.memory),
            transcript=plain(memory.transcript),
            room=memory.room,
            device_id=memory.device_id,
            spoken_at=memory.spoken_at.astimezone(self.zone),
            created_at=memory.created_at.astimezone(self.zone),
            expires_at=self.local(memory.expires_at),
            archived=memory.archived,
            source=memory.source,
            confidence=memory.confidence,
            supersedes=list(memory.supersedes),
            superseded_by=list(memory.superseded_by),
            html=to_html(memory.memory),
            title=title(memory),
            tags=list(tags_of(memory.memory, self.rules)),
            can_undo=can_undo(memory, self.now),
            age=age(memory.spoken_at, self.now),
        )

    def ear(self, snapshot: EarSnapshot) -> EarOut:
        shown = asdict(snapshot)
        return EarOut(**{**shown, "off_record_until": self.local(snapshot.off_record_until)})

    def local(self, moment: datetime | None) -> datetime | None:
        return moment.astimezone(self.zone) if moment else None


def can_undo(memory: Memory, now: datetime) -> bool:
    """Whether `undo` would find something to take back."""
    is_fresh = memory.source in ("voice", "manual") and now - memory.created_at <= FRESH
    return memory.is_active and (bool(memory.supersedes) or is_fresh)
