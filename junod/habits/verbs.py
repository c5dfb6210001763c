"""What people do with habits: look, answer a suggestion, delete. Every face calls these; none writes a memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from junod.decay import weight
from junod.habits import rhythm
from junod.habits.rhythm import Rhythm, Slot
from junod.habits.sightings import HabitKind, label
from junod.memory.habits import HabitRow, HabitStore
from junod.records import Memory
from junod.sections import HabitsSettings

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_EVIDENCE = 5


@dataclass(frozen=True, slots=True)
class Habit:
    """A habit as it is shown. It says what is often so, never what is so."""

    id: str
    kind: HabitKind
    thing: str
    """Words for it, from a memory that still exists; '' where none has any."""
    sentence: str
    """'You usually buy coffee about every 9 days.'; '' where there is nothing to say yet."""
    weight: float
    """0 to 1, as of now."""
    is_shown: bool
    is_archived: bool
    """Too weak now, or not seen in long."""
    occurrences: int
    weeks: int
    """Different ISO weeks of the occurrences."""
    chance: float
    """Probability that chance alone would be as regular, 1 where it cannot be told."""
    last_at: datetime | None
    created_at: datetime
    rhythm: Rhythm | None = None
    slot: Slot | None = None


@dataclass(slots=True)
class _Strength:
    """What the moments alone say of a habit."""

    every: Rhythm | None
    where: Slot | None
    counted: tuple[datetime, ...]
    last_at: datetime | None
    weight: float
    weeks: int = 0
    is_archived: bool = False
    is_habit: bool = False

    @property
    def chance(self) -> float:
        regular = self.every or self.where
        return regular.chance if regular else 1.0


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A quiet question; nothing happens until a person answers."""

    habit: Habit
    text: str
    """'You usually buy coffee every 9 days; it has been 11.'"""
    proposal: str
    """What a person who says yes may add: a shopping list of that one thing."""


@dataclass(frozen=True, slots=True)
class TalkCount:
    """How often people talk in a room at an hour of the week."""

    room: str
    weekday: int
    hour: int
    passages: int
    weeks: int


class Habits:
    """The habits of one household as seen now.

    Args:
        is_allowed: whether a thing may be suggested at all; a household's rules win over its habits.
    """

    def __init__(
        self,
        store: HabitStore,
        settings: HabitsSettings,
        zone: ZoneInfo,
        *,
        is_allowed: Callable[[str], bool] = lambda thing: True,
    ) -> None:
        self._store = store
        self._settings = settings
        self._zone = zone
        self._is_allowed = is_allowed

    def list(self, now: datetime, *, everything: bool = False) -> tuple[Habit, ...]:
        """Those that are shown, the strongest first; `everything`: also what is being learned or was put away."""
        found = [habit for row in self._store.all() if (habit := self._seen(row, now, everything)) is not None]
        found.sort(key=lambda each: (-each.weight, each.id))
        if everything:
            return tuple(found)
        return tuple(habit for habit in found if habit.is_shown and not self._is_told_by_another(habit, found))

    def show(self, habit_id: str, now: datetime) -> tuple[Habit, tuple[Memory, ...]]:
        """A habit with the newest memories that bear it out. Errors as in `HabitStore.get`."""
        row = self._store.get(habit_id)
        return self._now(row, now), self._store.memories(row, _EVIDENCE)

    def suggestions(self, now: datetime) -> tuple[Suggestion, ...]:
        """What is due, is on no list and was not refused of late; the most overdue first."""
        rows = {row.id: row for row in self._store.all()}
        due = [(self._overdue(rows[habit.id], habit, now), habit) for habit in self.list(now)]
        asked = sorted(((days, habit) for days, habit in due if days), key=lambda pair: (-pair[0], pair[1].id))
        return tuple(self._suggestion(habit, now) for _, habit in asked)

    def yes(self, habit_id: str, now: datetime) -> Suggestion:
        """The habit is right and grows. What it proposes is for a person to add: see `Suggestion.proposal`."""
        return self._suggestion(self._now(self._store.answer(habit_id, is_yes=True), now), now)

    def no(self, habit_id: str, now: datetime) -> Habit:
        """It loses half its weight and keeps quiet for a while."""
        return self._now(self._store.answer(habit_id, is_yes=False), now)

    def delete(self, habit_id: str) -> str:
        """Erase it for good; it is not learned again. Returns its id."""
        return self._store.delete(habit_id)

    def delete_all(self) -> int:
        """Erase all of them and the counts of talk; returns how many habits."""
        return self._store.delete_all()

    def talk(self) -> tuple[TalkCount, ...]:
        """Hours of the week at which people talk in at least three different weeks, the busiest first."""
        weeks: dict[tuple[str, int, int], set[tuple[int, int]]] = {}
        passages: Counter[tuple[str, int, int]] = Counter()
        for each in self._store.talk():
            local = each.hour_at.astimezone(self._zone)
            where = each.room, local.weekday(), local.hour
            weeks.setdefault(where, set()).add(local.isocalendar()[:2])
            passages[where] += each.passages
        counts = [TalkCount(*where, passages[where], len(found)) for where, found in weeks.items()]
        often = [count for count in counts if count.weeks >= self._settings.min_weeks]
        return tuple(sorted(often, key=lambda each: (-each.passages, each.room, each.weekday, each.hour)))

    def _seen(self, row: HabitRow, now: datetime, everything: bool) -> Habit | None:
        """None, before any memory is read, for what is not strong and regular enough to be shown."""
        strength = self._strength(row, now)
        return self._habit(row, strength) if everything or strength.is_habit else None

    def _now(self, row: HabitRow, now: datetime) -> Habit:
        return self._habit(row, self._strength(row, now))

    def _strength(self, row: HabitRow, now: datetime) -> _Strength:
        past = tuple(at for at in row.moments if at <= now)
        recent = tuple(at for at in past if at > now - timedelta(days=self._settings.window_days))
        is_item = row.kind == HabitKind.BUY
        every = rhythm.rhythm(recent) if is_item else None
        where = None if is_item else rhythm.slot(recent, self._zone, self._settings.tolerance_min)
        counted = rhythm.in_slot(past, where, self._zone, self._settings.tolerance_min) if where else past
        found = _Strength(every, where, counted, past[-1] if past else None, self._weight(row, counted, now))
        found.weeks = rhythm.iso_weeks(counted, self._zone)
        found.is_archived = found.weight < self._settings.archive_below
        found.is_habit = (
            not found.is_archived
            and found.chance <= self._settings.max_chance
            and len(counted) >= self._settings.min_occurrences
            and found.weeks >= self._settings.min_weeks
        )
        return found

    def _habit(self, row: HabitRow, strength: _Strength) -> Habit:
        kind = HabitKind(row.kind)
        thing = self._store.words(row, lambda memory, is_thing: label(memory, kind, is_thing))
        sentence = self._sentence(row, kind, thing, strength)
        return Habit(
            id=row.id,
            kind=kind,
            thing=thing,
            sentence=sentence,
            weight=strength.weight,
            is_shown=bool(sentence) and strength.is_habit,
            is_archived=strength.is_archived,
            occurrences=len(strength.counted),
            weeks=strength.weeks,
            chance=strength.chance,
            last_at=strength.last_at,
            created_at=row.created_at,
            rhythm=strength.every,
            slot=strength.where,
        )

    def _weight(self, row: HabitRow, counted: tuple[datetime, ...], now: datetime) -> float:
        return weight(
            sorted((*counted, *row.yes_at)),
            now=now,
            half_life_days=self._settings.half_life_days,
            gain=self._settings.gain,
            punished=row.no_at,
        )

    def _sentence(self, row: HabitRow, kind: HabitKind, thing: str, strength: _Strength) -> str:
        every, where = strength.every, strength.where
        if every is not None and thing:
            return f"You usually buy {thing} about every {_days(every.period_days)}."
        if where is None:
            return ""
        hour = f"{_DAYS[where.weekday]}s around {where.minute // 60:02}:{where.minute % 60:02}"
        if kind is HabitKind.DONE:
            return f"Often done on {hour}: {thing}." if thing else ""
        if thing:
            return f"Often on {hour}: {thing}."
        return f"There is often an appointment on {hour}." if self._store.is_anything(row) else ""

    def _is_told_by_another(self, habit: Habit, shown: Sequence[Habit]) -> bool:
        """'An appointment', where it is known which."""
        if habit.thing or habit.slot is None:
            return False
        mine = habit.slot.weekday, habit.slot.minute
        return any(
            other.thing and other.kind is habit.kind and other.slot and other.slot.weekday == mine[0]
            and abs(other.slot.minute - mine[1]) <= self._settings.tolerance_min
            for other in shown
        )  # fmt: skip

    def _overdue(self, row: HabitRow, habit: Habit, now: datetime) -> float:
        """How many times its usual days it has been; 0 where nothing is to be suggested."""
        if habit.rhythm is None or habit.last_at is None or row.is_open or not self._is_allowed(habit.thing):
            return 0.0
        pause = timedelta(days=self._settings.pause_days)
        if any(now - at < pause for at in row.no_at) or any(now - at < timedelta(days=1) for at in row.yes_at):
            return 0.0
        times = (now - habit.last_at) / timedelta(days=habit.rhythm.period_days)
        return times if self._settings.due_factor <= times <= self._settings.stale_factor else 0.0

    def _suggestion(self, habit: Habit, now: datetime) -> Suggestion:
        if habit.rhythm is None or habit.last_at is None:
            return Suggestion(habit, habit.sentence, "")
        passed = (now - habit.last_at) // timedelta(days=1)
        usual = round(habit.rhythm.period_days)
        text = f"You usually buy {habit.thing} every {_days(usual)}; it has been {passed}."
        return Suggestion(habit, text, f"Shopping list:\n- {habit.thing}" if habit.thing else "")


def _days(number: float) -> str:
    whole = max(1, round(number))
    return "day" if whole == 1 else f"{whole} days"
