"""Which stretches of digits are credentials: shape, cues around, and explanations weigh against each other.

A run is masked from `_THRESHOLD` points on. Four or more digits said one by one are a code until something explains
them (nobody reads a price or a time digit by digit); written or paired numbers need a cue. Once one run is masked, its
value is masked in every other rendering ("7714" … "double seven one four").
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from junod.redact.cues import Cue, Places, any_between, find_cues
from junod.redact.dictated import all_alike, card_groups, turned_combination
from junod.redact.explained import TIME_BEFORE, Explanations, is_clock
from junod.redact.numbers import benign_written_spans
from junod.redact.spoken import Run, find_runs
from junod.redact.tokens import Token

_THRESHOLD = 2.0
_REACH_BACK_WORDS, _REACH_AHEAD_WORDS = 60, 14
_WORDS_PER_POINT = 18
"""How fast a cue before the number fades."""
_DIRECT_WORDS = 5
"""At most so many between a cue and "its" number: "the code for the street door is 4471"."""
_MAX_SECRET_CHARS = 40
_NO_PAUSE = re.compile(r"(?:(?!\s*(?:then|at|by|from|until|before|after)\b)[\w'’ :]){0,40}")

_RIDDLE = re.compile(
    r"\b(?:(?:my|your|his|her|our|the|\w+'s) )?(?:wedding |birth |house |phone )?"
    r"(?:birthday|birth ?date|date of birth|year|anniversary|postcode|number)"
    r"(?:,? (?:backwards?|reversed|in reverse)|(?<=year) of (?:the |our |my |his |her |your )?\w+)"
    r"|(?:it's|its|it is|that's|is|as) (?:my|your|his|her|our|\w+'s) (?:birthday|birth year|anniversary)(?=[,.?!]|$)"
)
_HEATING = re.compile(r"\b(?:oven|gas mark|degrees|hob|heat|thermostat|volume|simmer)\b")
_TURN = re.compile(
    r"\b(?:(?:anti-?|counter-?)?clockwise|(?:to the |turn |go |back |and )?(?:left|right)\b[^.?!\n]{0,25}?"
    r"\b(?:to|until|till|past|on|at)|past it\b[^.?!\n]{0,12}?\bto|(?:turn it|turn the dial|then back|then) to)\b"
)


@dataclass(frozen=True, slots=True)
class Secret:
    """A span to mask."""

    start: int
    end: int
    kind: str


class CodeFinder:
    """Finds the digit credentials of one text. Built once for a text; `secrets()` gives the spans."""

    def __init__(self, text: str, lowered: str, tokens: Sequence[Token]) -> None:
        self._benign = benign_written_spans(text)
        self._lowered = lowered
        self._tokens = tokens
        self.runs = find_runs(tokens, self._benign)
        is_numbered = any(len(run.digits) >= 2 for run in self.runs) or bool(self._benign)
        self._cues = find_cues(lowered, tokens) if is_numbered else []
        self._cue_tokens = [cue.token for cue in self._cues]
        self._explanations = Explanations(text, lowered, tokens)
        self._named_values = {run.chars for run in self.runs if self._explanations.named_thing(run) < 0}
        self._telephones = {run.chars for run in self.runs if self._explanations.telephone(run) <= -4}
        self._times = {run.chars for run in self.runs if len(run.chars) == 3 and self._explanations.tells_time(run)}
        self._counts = Counter(run.chars for run in self.runs)

    def secrets(self) -> list[Secret]:
        """Spans of digit credentials, in order."""
        masked: dict[int, str] = {}
        hot = _MaskSentences(self._tokens)
        for index, run in enumerate(self.runs):
            points, kind = self._points(run, hot)
            if points >= _THRESHOLD:
                masked[index] = kind
                hot.add(run.sentence)
        turned = [*self._lock_combination(), *turned_combination(self._lowered, self.runs)]
        masked |= {index: "code" for index in turned if index not in masked}
        masked |= dict.fromkeys(card_groups(self.runs, self._card_tokens()), "card number")
        masked |= self._same_values(masked)
        spans = [Secret(self.runs[index].start, self.runs[index].end, kind) for index, kind in sorted(masked.items())]
        alike = [Secret(start, end, "code") for start, end in all_alike(self._lowered, self._tokens)]
        return spans + alike + self._disguised() + self._riddles(sorted(self.runs[index].sentence for index in masked))

    def _card_tokens(self) -> list[int]:
        return [cue.token for cue in self._cues if cue.kind == "card number"]

    def _disguised(self) -> list[Secret]:
        """Codes that a recogniser wrote as a time or a decimal, right after a strong cue: "the PIN is 19:47"."""
        places = Places(self._tokens)
        found: list[Secret] = []
        for start, end in self._benign:
            first = places.token(start)
            previous = self._tokens[first - 1].lower if first else ""
            is_plain = self._lowered[start].isdigit() and self._lowered[end - 1].isdigit()
            if is_plain and previous not in TIME_BEFORE and self._direct_cue(first):
                found.append(Secret(start, end, "code"))
        return found

    def _riddles(self, masked_sentences: Sequence[int]) -> list[Secret]:
        """What tells a code without saying it: "my birthday backwards", near a sentence that has one."""
        places = Places(self._tokens)
        return [
            Secret(*match.span(), "code")
            for match in _RIDDLE.finditer(self._lowered)
            for sentence in (places.sentence(match.start()),)
            if any_between(masked_sentences, sentence - 5, sentence + 4)
        ]

    def _points(self, run: Run, hot: _MaskSentences) -> tuple[float, str]:
        cue_points, kind = self._cue_points(run)
        shape = shape_points(run)
        if _is_iban_shaped(run):
            kind = "account number"
        elif 13 <= len(run.digits) <= 19 and run.letters == 0:
            if kind == "card number" and cue_points > 0:
                return 2 * _THRESHOLD, kind  # no fee, no reference explains a card's number away
            kind = "card number"
        if (
            (run.said_twice or self._counts[run.chars] > 1)
            and len(run.chars) >= 4
            and not is_clock(run)
            and cue_points >= 1
        ):
            cue_points += 1.0
        if len(run.chars) >= 3 and not self._explanations.product(run) and hot.within(run.sentence, 3):
            cue_points = max(cue_points + 0.5, 2.5)
        direct = self._direct_cue(run.first)
        if direct and len(run.chars) >= 3 and self._named_outright(run):
            shape = max(shape, 0.0)  # after "the PIN is", "one two three four" is no counting, "zero one ten" no time
        is_harmless = cue_points < 1 and self._explanations.reference(run)
        if len(run.digits) < 2 or is_harmless:
            return 0.0, kind
        if len(run.chars) <= 2 and not direct:
            return 0.0, kind
        return cue_points + shape + self._explanations.points(run, direct=direct) - self._harmless_elsewhere(
            run, direct
        ), kind

    def _cue_points(self, run: Run) -> tuple[float, str]:
        """Points of the strongest cue, or of several hints together, less their distance; and the kind."""
        low = bisect_left(self._cue_tokens, run.first - _REACH_BACK_WORDS)
        best: dict[int, float] = {}
        kind, kind_weight = "code", 0.0
        for cue in self._cues[low:]:
            if cue.token > run.last + _REACH_AHEAD_WORDS:
                break
            points = _cue_at(cue, run)
            best[cue.family] = max(points, best.get(cue.family, 0.0))
            telling = points + 0.6 if cue.kind != "code" else points
            if telling > kind_weight:
                kind, kind_weight = cue.kind, telling
        strongest = max(best.values(), default=0.0)
        hints = sum(value for value in best.values() if value <= 2.5)
        return max(strongest, min(hints, 3.0)), "code" if kind == "password" else kind

    def _direct_cue(self, first: int) -> bool:
        """Whether a strong cue stands in the same sentence just before token `first`: "the PIN is 1947"."""
        target = self._tokens[first]
        low = bisect_left(self._cue_tokens, first - 2 * _DIRECT_WORDS)
        for cue in self._cues[low:]:
            if cue.start > target.start:
                break
            is_near = cue.sentence == target.sentence and cue.end <= target.start
            if is_near and cue.weight >= 3 and len(self._lowered[cue.end : target.start].split()) <= _DIRECT_WORDS:
                return True
        return False

    def _named_outright(self, run: Run) -> bool:
        """Whether nothing but a few words, and no pause, stands between a strong cue and the run."""
        low = bisect_left(self._cue_tokens, run.first - 2 * _DIRECT_WORDS)
        near = [cue for cue in self._cues[low:] if cue.weight >= 3 and cue.end <= run.start]
        return any(_NO_PAUSE.fullmatch(self._lowered[cue.end : run.start]) for cue in near)

    def _harmless_elsewhere(self, run: Run, direct: bool) -> float:
        """3 where the same value is a house, a channel, a time or part of a telephone in another place of this text."""
        if direct:
            return 0.0
        is_part = len(run.chars) >= 6 and any(run.chars in number for number in self._telephones)
        return 3.0 if is_part or run.chars in self._named_values or run.chars in self._times else 0.0

    def _lock_combination(self) -> list[int]:
        """Runs of a dial lock told by its turns: "right to thirty-two, then left past it to seventeen"."""
        turns = [match.end() for match in _TURN.finditer(self._lowered)]
        starts = [run.start for run in self.runs]
        hit: list[int] = []
        for end in turns:
            position = bisect_left(starts, end)
            if position < len(starts) and starts[position] - end <= 25 and len(self.runs[position].chars) <= 2:
                hit.append(position)
        if len(set(hit)) < 2 or _HEATING.search(self._lowered):
            return []
        last = bisect_right([run.sentence for run in self.runs], self.runs[max(hit)].sentence + 4)
        return list(range(min(hit), last))

    def _same_values(self, masked: dict[int, str]) -> dict[int, str]:
        """Other renderings of masked values, whole or in part: 3 characters anywhere, 2 digits at the value's ends."""
        values = {self.runs[index].chars[:_MAX_SECRET_CHARS]: kind for index, kind in masked.items()}
        parts = _parts(values)
        sentences = sorted(self.runs[index].sentence for index in masked)
        found: dict[int, str] = {}
        for index, run in enumerate(self.runs):
            if index in masked or len(run.chars) < 2 or not run.digits:
                continue
            kind = parts.get(run.chars) or next((values[part] for part in _windows(run.chars, values)), None)
            if kind is None or (len(run.chars) == 2 and not any_between(sentences, run.sentence - 4, run.sentence + 2)):
                continue
            if len(run.chars) > 3 or self._explanations.points(run, direct=False) > -2:
                found[index] = kind
        return found


class _MaskSentences:
    """Sentences in which something was masked already, by us or in an earlier pass."""

    def __init__(self, tokens: Iterable[Token]) -> None:
        self._sentences = sorted({token.sentence for token in tokens if token.is_mask})
        self._latest = -100

    def add(self, sentence: int) -> None:
        self._latest = sentence

    def within(self, sentence: int, reach: int) -> bool:
        """Whether a masked sentence lies at most `reach` sentences back."""
        return self._latest >= sentence - reach or any_between(self._sentences, sentence - reach, sentence)


def _cue_at(cue: Cue, run: Run) -> float:
    """The cue's weight at the run: fading with the words between; less when it comes after the number."""
    if cue.start < run.start:
        return max(cue.weight - (run.first - cue.token - 1) / _WORDS_PER_POINT, 0.0)
    if cue.weight < 1.5 or cue.sentence > run.sentence + 1:
        return 0.0
    return max(cue.weight - 1.0, 1.0)


def shape_points(run: Run) -> float:
    """How much the run looks like a code by itself: from -2 (one short number) to 4 (as long as a card or an IBAN)."""
    size = len(run.chars)
    if set(run.chars) == {"0"}:
        return -1.0  # "oh, oh, oh!"
    if run.is_count:
        return -2.0 if size < 6 else -1.0
    if _is_iban_shaped(run) or (len(run.digits) >= 12 and not run.is_cardinal):
        return 4.0
    if size <= 2:
        return -2.0
    if run.is_cardinal:
        return 0.0
    if run.is_spelled and run.digits:
        return _spelled_points(run)
    if run.letters:
        return 1.0 if len(run.digits) >= 5 else 0.0 if run.singles >= 3 else -1.5
    if run.is_thousands:
        return -1.5
    if run.tens and run.letters == 0:
        return _paired_points(run)
    if size == 3:
        return -0.5
    return 1.5 if size >= 6 and run.breaks else 1.0


def _spelled_points(run: Run) -> float:
    size = len(run.chars)
    if run.letters and len(run.digits) < 3:
        return 0.0
    if size == 4 and run.chars[:2] in ("19", "20"):
        return 1.5
    if run.counting >= 0.6:
        return 0.5
    return {3: 0.5, 4: 2.0}.get(size, 2.5)


def _paired_points(run: Run) -> float:
    """ "six thirty" and "twenty-five thirty" are times and scores before they are codes."""
    size = len(run.chars)
    if size >= 6 and run.singles >= 2:
        return 1.0
    if size >= 8:
        return 0.5
    return -1.5 if size == 3 or is_clock(run) else 0.0


def _is_iban_shaped(run: Run) -> bool:
    """Shaped as an IBAN: two letters, two digits, eleven or more characters."""
    chars = run.chars
    return len(chars) >= 15 and chars[:2].isalpha() and chars[2:4].isdigit() and len(run.digits) >= 8


def _parts(values: dict[str, str]) -> dict[str, str]:
    """Every stretch of 3 or more characters of the values, and their first and last two digits, with the kind."""
    parts: dict[str, str] = {}
    for value, kind in values.items():
        for first in range(len(value)):
            for end in range(first + 3, len(value) + 1):
                parts[value[first:end]] = kind
        if len(value) >= 4:
            parts[value[:2]] = parts[value[-2:]] = kind
    return parts


def _windows(chars: str, values: dict[str, str]) -> Iterable[str]:
    """Values of 3 or more characters that occur inside `chars`."""
    chars = chars[:_MAX_SECRET_CHARS]
    return (
        chars[first:end]
        for first in range(len(chars))
        for end in range(first + 3, len(chars) + 1)
        if chars[first:end] in values
    )
