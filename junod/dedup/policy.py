"""What two memories are to each other, and what speaks against putting them together (pure).

The rules are in docs/adr/0005-dedup.md. Whatever they leave open goes to the language model, and its answer passes the
same vetoes; where they say APART, nobody is asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import pairwise

from junod.dedup.cues import ADDING, STRONG, WEAK
from junod.dedup.parsed import Parsed, canonical
from junod.extract.words import NEGATIONS, words
from junod.records import Memory


class Relation(StrEnum):
    """What a newer memory is to an older one."""

    APART = "apart"
    LIST = "list"
    """Two states of one list."""
    REPEAT = "repeat"
    """The same said again."""
    RESCHEDULE = "reschedule"
    """The same thing at another time; the later word counts."""
    CORRECTION = "correction"
    """The same thing with another detail, said to have changed; the later word counts."""
    ASK = "ask"
    """May belong together: the language model is asked."""


class TimeRelation(StrEnum):
    SAME = "same"
    COMPATIBLE = "compatible"
    """One of them names a day or hour that the other leaves open."""
    UNDATED = "undated"
    """One ends at a moment, the other is for good."""
    DIFFERENT = "different"


@dataclass(frozen=True, slots=True)
class Verdict:
    relation: Relation
    reason: str
    """A short stable code: for APART the veto, else what the relation rests on."""


def _stems(listed: str) -> frozenset[str]:
    return frozenset(map(canonical, listed.split()))


_EXCLUSIVE = _stems("works work lives live stays stay studies study attends kept keep sleeps sleep sits hangs")
"""What can only be true of one place at a time, so that 'now' says the old one is over."""
_NEVER_REPLACED = _stems("allergic allergy intolerant coeliac diabetic asthma")
"""A danger to somebody's health is never taken away by another one."""
_APPOINTMENT = _stems(
    "dentist doctor vet haircut hairdresser barber plumber electrician interview checkup orthodontist optician physio "
    "surgery scan recital inspection"
)
"""What nobody has twice on one day: two hours on the same day are a change, even where no word says so."""
_CUE_WORDS_NEAR = 25
"""A transcript this short is about one thing; in a longer one the words of change must stand in its sentence."""


def judge(older: Parsed, newer: Parsed) -> Verdict:
    """What `newer` is to `older`. Both active, neither done; order by speech is the caller's."""
    if older.is_list or newer.is_list:
        same = older.header == newer.header
        return Verdict(Relation.LIST, "list-growth") if same else Verdict(Relation.APART, "other-list")
    if not older.content & newer.content:
        return Verdict(Relation.APART, "nothing-shared")
    cue = change_cue(older, newer)
    veto = _person_veto(older, newer, cue)
    if veto:
        return Verdict(Relation.APART, veto)
    return _number_or_negation(older, newer, cue) or _by_content(older, newer, cue)


_TASKS = _stems(
    "buy wash clean pay call book bring pack paint fix order return pick collect post send sign water feed wrap bake "
    "cook cancel renew fill print check charge sell borrow lend repair sew iron mow cut sweep tidy empty thank ask tell"
)
"""A sentence that begins with one of these is something to do, and no other wording of what it is about."""


_DUTY = re.compile(r"\b(?:needs?|must|should|(?:has|have|ought|got) to|wants?)\b", re.IGNORECASE)
_BETWEEN = _stems(
    "behind under beside near between below above inside outside around through during before after while since "
    "because until opposite across along against if twice once only except plus"
)
"""Content words to the comparison that join rather than name."""


def _task_veto(older: Parsed, newer: Parsed, *, is_moved: bool) -> str:
    """'Buy a present for the party' is not the party; a guitar lesson is not the guitar, unless guitar is moved."""
    tasks = [(head & _TASKS, bool(_DUTY.search(one.sentence))) for head, one in ((_head(a), a) for a in (older, newer))]
    if tasks[0] != tasks[1]:
        return "task"
    less, more = (older, newer) if older.content < newer.content else (newer, older)
    ignored = _SESSIONS if is_moved else frozenset()
    return "compound" if less.content < more.content and _makes_compound(less, more, ignored) else ""


def _is_continued(older: Parsed, newer: Parsed) -> bool:
    """One sentence is the beginning of the other, which goes on after a joining word: keeping it loses nothing."""
    shorter, longer = sorted((_plain(older.sentence), _plain(newer.sentence)), key=len)
    rest = longer[len(shorter) :]
    if len(shorter) < 2 or longer[: len(shorter)] != shorter or not rest or set(rest) & _MONTHS:
        return False
    is_occasion = any(re.search(r"['’]s$", word) for word in rest)  # 'plays the violin', '… at Olga's wedding'
    return not is_occasion and (rest[0] in _JOINING or canonical(rest[0]) in _BETWEEN)


_MONTHS = frozenset(("january", "february", "march", "april", "june", "july", "august", "september", "october",
                     "november", "december"))  # fmt: skip
_JOINING = frozenset(("and", "or", "but", "with", "without", "in", "on", "at", "of", "for", "by", "from", "to", "about",
                      "which", "who", "where", "when", "as", "so", "into", "over"))  # fmt: skip


def _head(one: Parsed) -> frozenset[str]:
    return frozenset(map(canonical, _plain(one.sentence)[:1]))


_SESSIONS = _stems("lesson lessons class classes practice match game course group club rehearsal camp party dinner")
"""'Swimming moved to five' means the swimming lesson."""


def _makes_compound(less: Parsed, more: Parsed, ignored: frozenset[str]) -> bool:
    """A word they share is followed, with nothing between, by a noun of the longer one's own: it is about that."""
    found = [word for word in words(more.sentence) if word.is_content]
    return any(
        more.sentence[left.end : right.start] == " "
        and canonical(left.text) in less.content
        and canonical(left.text) not in map(canonical, more.names)
        and right.text.islower()
        and canonical(right.text) not in _BETWEEN
        and canonical(right.text) in more.content - less.content - ignored
        and not right.text.endswith(("ed", "ing"))
        for left, right in pairwise(found)
    )


def _person_veto(older: Parsed, newer: Parsed, cue: Cue) -> str:
    a, b = set(older.names), set(newer.names)
    if (a - b) and (b - a) and not (cue.is_change and _same_subject(older, newer)):
        return "name"
    if a == b and older.names != newer.names:
        return "name-order"
    own = older.owners ^ newer.owners
    if own and ((older.owners and newer.owners) or (own - {"household"} and a != b)):
        return "owner"
    if older.turns_round(newer):
        return "roles"
    return "polarity" if older.polarity(newer) else ""


def _same_subject(older: Parsed, newer: Parsed) -> bool:
    """'Tariq lives in Leeds', 'Tariq lives in Bristol now': the name that differs is a place, not a person."""
    heads = [_plain(one.sentence)[:1] for one in (older, newer)]
    return heads[0] == heads[1] and bool(older.content & newer.content & _EXCLUSIVE)


def _number_or_negation(older: Parsed, newer: Parsed, cue: Cue) -> Verdict | None:
    differs = "number" if older.numbers != newer.numbers else ""
    if bool(older.negations) != bool(newer.negations):
        differs = "negation"
    if not differs:
        return None
    corrected = cue.is_strong or (cue.is_weak and differs == "number")
    same_thing = older.content == newer.content or (cue.is_strong and older.content < newer.content)
    if corrected and same_thing and time_relation(older, newer) is not TimeRelation.DIFFERENT:
        return Verdict(Relation.CORRECTION, f"corrected-{differs}")
    one_sided = not older.numbers or not newer.numbers
    if differs == "number" and one_sided and not cue.adds:
        return None if older.content != newer.content else Verdict(Relation.ASK, "number-added")
    return Verdict(Relation.APART, differs)


def _by_content(older: Parsed, newer: Parsed, cue: Cue) -> Verdict:
    time = time_relation(older, newer)
    gone, added = older.content - newer.content, newer.content - older.content
    if time is TimeRelation.DIFFERENT and _is_over(older, newer):
        return Verdict(Relation.APART, "another-occasion")
    if not gone and not added:
        return _same_content(older, newer, cue, time)
    if cue.adds:
        return Verdict(Relation.APART, "said-as-addition")
    veto = _task_veto(older, newer, is_moved=cue.is_strong and time is TimeRelation.DIFFERENT)
    if veto:
        return Verdict(Relation.APART, veto)
    if time in (TimeRelation.SAME, TimeRelation.COMPATIBLE) and _is_continued(older, newer):
        return Verdict(Relation.REPEAT, "said-with-more")
    if not added:
        return _newer_says_less(cue, time)
    if not gone:
        return _newer_says_more(cue, time)
    return _other_words(older, newer, cue, time)


def _same_content(older: Parsed, newer: Parsed, cue: Cue, time: TimeRelation) -> Verdict:
    if time is TimeRelation.DIFFERENT:
        if cue.adds:
            return Verdict(Relation.APART, "said-as-addition")
        if cue.is_change:
            return Verdict(Relation.RESCHEDULE, "said-to-have-changed")
        if older.content & _APPOINTMENT and same_day(older, newer):
            return Verdict(Relation.RESCHEDULE, "same-day")
        return Verdict(Relation.APART, "date")
    if time is TimeRelation.UNDATED:
        if older.times.is_recurring or newer.times.is_recurring:
            return Verdict(Relation.APART, "recurring-or-once")
        return Verdict(Relation.RESCHEDULE, "dated-anew") if cue.is_strong else Verdict(Relation.ASK, "undated")
    if _is_telling(older, newer):
        return Verdict(Relation.REPEAT, "said-again")
    return Verdict(Relation.ASK, "few-words")


def _is_telling(older: Parsed, newer: Parsed) -> bool:
    """The shared words say enough by themselves: not only a name, and one word alone only with a time or as spoken."""
    if not older.content - set(older.names) - set(newer.names):
        return _plain(older.sentence) == _plain(newer.sentence)
    dated = older.memory.expires_at is not None and newer.memory.expires_at is not None
    timed = (older.times.days or older.times.clocks) and time_relation(older, newer) is TimeRelation.SAME
    return len(older.content) > 1 or dated or bool(timed) or _plain(older.sentence) == _plain(newer.sentence)


def _newer_says_less(cue: Cue, time: TimeRelation) -> Verdict:
    if time is TimeRelation.DIFFERENT:
        if cue.is_strong:
            return Verdict(Relation.RESCHEDULE, "said-to-have-changed")
        return Verdict(Relation.APART, "date")
    return Verdict(Relation.ASK, "fewer-words")


def _newer_says_more(cue: Cue, time: TimeRelation) -> Verdict:
    if time is TimeRelation.DIFFERENT and not cue.is_strong:
        return Verdict(Relation.APART, "date")
    return Verdict(Relation.ASK, "more-words")


def _other_words(older: Parsed, newer: Parsed, cue: Cue, time: TimeRelation) -> Verdict:
    """Each says something that the other does not: only a stated change makes them one thing."""
    gone, added = older.content - newer.content, newer.content - older.content
    shared = older.content & newer.content
    if not cue.is_change or (older.content | newer.content) & _NEVER_REPLACED:
        return Verdict(Relation.APART, "different-thing")
    one_word = len(gone) == len(added) == 1 and len(shared) >= 2 and time is not TimeRelation.DIFFERENT
    if one_word and (cue.is_strong or shared & _EXCLUSIVE):
        return Verdict(Relation.CORRECTION, "one-word-changed")
    return Verdict(Relation.ASK, "other-words")


# --- signs of change -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Cue:
    """What the newer speech says about change."""

    is_strong: bool
    """'moved to', 'instead', 'no longer'."""
    is_weak: bool
    """'now', 'actually'."""
    adds: bool
    """'also', 'another': a second thing, not a new state of the first."""

    @property
    def is_change(self) -> bool:
        return self.is_strong or self.is_weak


_NO_CUE = Cue(False, False, False)


def change_cue(older: Parsed, newer: Parsed) -> Cue:
    """Signs of change in the newer memory and in the sentences of its transcript that are about the same thing."""
    if newer.memory.source == "merge":
        return _NO_CUE  # the change it speaks of is in it already
    text = " \n ".join([newer.sentence, *about(newer.memory.transcript, older.content & newer.content)])
    is_strong = bool(STRONG.search(text))
    return Cue(is_strong, bool(WEAK.search(text)), not is_strong and bool(ADDING.search(text)))


def about(transcript: str, shared: frozenset[str]) -> list[str]:
    """The sentences of a transcript that are about these words."""
    if len(transcript.split()) <= _CUE_WORDS_NEAR:
        return [transcript]
    sentences = re.split(r"(?<=[.!?…])\s+|\n", transcript)
    return [one for one in sentences if shared & {canonical(word.text) for word in words(one)}]


# --- time -----------------------------------------------------------------------------------------------------------


def time_relation(a: Parsed, b: Parsed) -> TimeRelation:
    """How the times of two memories agree."""
    end_a, end_b = a.memory.expires_at, b.memory.expires_at
    if end_a is not None and end_b is not None:
        if end_a == end_b:
            return TimeRelation.SAME
        refines = _last_day(end_a) == _last_day(end_b) and not (a.times.clocks and b.times.clocks)
        return TimeRelation.COMPATIBLE if refines and _whole_day(end_a, end_b) else TimeRelation.DIFFERENT
    if (end_a is None) != (end_b is None):
        return TimeRelation.DIFFERENT if _named_apart(a, b) else TimeRelation.UNDATED
    return _spoken_time(a, b)


def _spoken_time(a: Parsed, b: Parsed) -> TimeRelation:
    """Neither ends: compare the time words."""
    if _named_apart(a, b):
        return TimeRelation.DIFFERENT
    if (a.times.relative or b.times.relative) and a.memory.spoken_at.date() != b.memory.spoken_at.date():
        return TimeRelation.DIFFERENT
    same = (a.times.days, a.times.clocks) == (b.times.days, b.times.clocks)
    return TimeRelation.SAME if same else TimeRelation.COMPATIBLE


def _named_apart(a: Parsed, b: Parsed) -> bool:
    """Both name days, or both name hours, and none agrees."""
    days = a.times.days and b.times.days and not a.times.days & b.times.days
    clocks = a.times.clocks and b.times.clocks and a.times.clocks != b.times.clocks
    return bool(days or clocks)


def _last_day(end: datetime) -> datetime:
    return (end - timedelta(microseconds=1)).replace(hour=0, minute=0, second=0, microsecond=0)


def _whole_day(*ends: datetime) -> bool:
    return any((end.hour, end.minute) == (0, 0) for end in ends)


def same_day(a: Parsed, b: Parsed) -> bool:
    """Both end on one day, or both name it."""
    end_a, end_b = a.memory.expires_at, b.memory.expires_at
    if end_a is not None and end_b is not None:
        return _last_day(end_a) == _last_day(end_b)
    return bool(a.times.days and a.times.days == b.times.days and not a.times.is_recurring)


def _is_over(older: Parsed, newer: Parsed) -> bool:
    end = older.memory.expires_at
    return end is not None and end <= newer.memory.spoken_at


def list_expiry(sources: Iterable[Memory]) -> datetime | None:
    """When a merged list expires: with the source that lives longest; one for good, and it stays for good."""
    ends = [source.expires_at for source in sources]
    dated = [end for end in ends if end is not None]
    return max(dated) if dated and len(dated) == len(ends) else None


def _plain(text: str) -> tuple[str, ...]:
    dropped = {"a", "an", "the", "is", "are"} - NEGATIONS
    return tuple(word.text.lower() for word in words(text) if word.text.lower() not in dropped)
