"""Passwords that are words: "the wifi password is marmalade seven, capital M".

A cue ("password", "wifi", "maiden name", an account's name) and a statement ("is X", "it's X", or a bare answer) give
the secret; spelling instructions ("capital M", "all one word", "underscore") make weak cues strong. The clause that
holds it is masked, and its words are masked wherever they come again.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from junod.redact.codes import Secret
from junod.redact.dictated import dictated_passwords
from junod.redact.numbers import is_number_word
from junod.redact.password_cues import (
    ANSWER_PATTERN,
    ASKED_PATTERN,
    BENIGN_ALWAYS,
    BENIGN_START,
    CLAUSE_END,
    GLUED,
    HINT_PATTERN,
    IT_IS_PATTERN,
    LETTERS_PATTERN,
    LIST_CUE_PATTERN,
    LOUD_PATTERN,
    QUESTION_PATTERN,
    SHORT_TALK,
    STATED_PATTERN,
    STRICT_IT_IS,
    STRONG_PATTERN,
    SYMBOL_TAIL,
    TIME_BEFORE,
    WEAK_PATTERN,
    WORD_PATTERN,
    WORKERS_NAME_BEFORE,
)
from junod.redact.said_outright import secrets_said_outright
from junod.redact.spoken import Run
from junod.redact.tokens import Token, sentence_ranges

_ANY_LENGTH = 60
_QUESTION_CHARS = 80
"""So far back a question mark shows that a secret was asked for, which allows a longer answer."""
_EDGES = " ,.:;!?\"'\n\t"
_REACH, _PLAIN_REACH = 4, 2
"""How many sentences after a password cue its answer may come, with spelling hints and without."""


@dataclass(frozen=True, slots=True)
class _Heard:
    """A text and its views, cut into sentences."""

    text: str
    lowered: str
    tokens: Sequence[Token]
    sentences: Sequence[range]
    """Token indices of each sentence."""

    def span(self, sentence: int) -> tuple[int, int]:
        words = self.sentences[sentence]
        if not words:
            return 0, 0
        return self.tokens[words.start].start, self.tokens[words.stop - 1].end

    def tokens_between(self, start: int, end: int) -> Sequence[Token]:
        """Tokens that begin in this stretch of characters."""
        first = bisect_left(self.tokens, start, key=lambda token: token.start)
        return self.tokens[first : bisect_left(self.tokens, end, key=lambda token: token.start)]


def find_word_secrets(
    text: str, lowered: str, tokens: Sequence[Token], runs: Sequence[Run], codes: Sequence[Secret]
) -> list[Secret]:
    """Spans of word passwords; `lowered` is `cues.plain(text)`, `runs` its digit runs, `codes` those masked."""
    heard = _Heard(text, lowered, tokens, sentence_ranges(tokens))
    coded = {tokens[index].sentence for index in _indices_in(tokens, [(code.start, code.end) for code in codes])}
    coded |= {token.sentence for token in tokens if token.is_mask}
    found = {*_stated(heard), *_answered(heard, coded), *_listed(heard), *_lettered(heard), *_glued(heard)}
    found |= {*secrets_said_outright(lowered), *dictated_passwords(lowered)}
    spans = sorted(found | set(_spelled_out(heard, runs)))
    if not spans and not any(token.is_mask for token in tokens):
        return []
    words = _secret_words(heard, spans, runs)
    again = [*_repeated(heard, words), *_pairs_again(heard, spans, runs)]
    near = {heard.tokens[index].sentence for index in _indices_in(heard.tokens, [*spans, *again])}
    spans = [*spans, *again, *_bare_tails(heard, runs, near)]
    return [Secret(start, end, "password") for start, end in _with_tails(heard, spans, runs)]


def _sentences_of(heard: _Heard, pattern: re.Pattern[str]) -> dict[int, int]:
    """Sentence number -> end of the last match in it."""
    ends: dict[int, int] = {}
    for number, words in enumerate(heard.sentences):
        if words:
            start, end = heard.span(number)
            for match in pattern.finditer(heard.lowered, start, end):
                ends[number] = match.end()
    return ends


def _clause(heard: _Heard, start: int, end: int) -> tuple[int, int] | None:
    """The part of a statement that is secret, or None where it says nothing secret ("... is on the fridge")."""
    cut = CLAUSE_END.search(heard.lowered, start, end)
    stop = cut.start() if cut else end
    while start < stop and heard.lowered[start] in _EDGES:
        start += 1
    said = heard.lowered[start:stop].rstrip(_EDGES)
    if not said or heard.text.startswith("[", start):
        return None
    if _is_harmless(said):
        return _afterthought(heard, start, start + len(said))
    content = [word for word in WORD_PATTERN.findall(said) if word not in SHORT_TALK]
    if not content and not LOUD_PATTERN.search(said):
        return None
    return start, start + len(said)


def _is_harmless(said: str) -> bool:
    """Whether a complement begins like "on the fridge", "wrong again", "driving me mad"."""
    if not BENIGN_START.match(said):
        return False
    is_loud = LOUD_PATTERN.search(said) or HINT_PATTERN.search(said)
    return not is_loud or bool(BENIGN_ALWAYS.match(said))


def _afterthought(heard: _Heard, start: int, end: int) -> tuple[int, int] | None:
    """The name after a harmless beginning: "the same as always, cheesepuff"."""
    comma = heard.lowered.find(",", start, end)
    words = heard.tokens_between(comma, end) if comma >= 0 else ()
    if not words or len(words) > 3 or not _looks_named(words) or _is_harmless(heard.lowered[words[0].start : end]):
        return None
    return words[0].start, end


def _stated(heard: _Heard) -> Iterator[tuple[int, int]]:
    """ "the password for the laptop is X", "wifi: X"."""
    for number, words in enumerate(heard.sentences):
        if not words:
            continue
        start, end = heard.span(number)
        for match in STATED_PATTERN.finditer(heard.lowered, start, end):
            if match.group().rstrip().endswith(",") and QUESTION_PATTERN.search(heard.lowered, start, match.start()):
                continue
            clause = _clause(heard, match.end(), end)
            if clause is not None:
                yield clause


def _answered(heard: _Heard, coded: set[int]) -> Iterator[tuple[int, int]]:
    """Answers in the same or the following sentences: "it's X, capital X", "Petunia.".

    A question already answered by a code (its sentence is in `coded`) is not asked again, but for spelling hints.
    """
    strong = _sentences_of(heard, STRONG_PATTERN)
    asked = _sentences_of(heard, ASKED_PATTERN)
    weak = _sentences_of(heard, WEAK_PATTERN)
    hints = _sentences_of(heard, HINT_PATTERN)
    for number in range(len(heard.sentences)):
        weak_cue = _latest(number, weak, reach=_REACH)
        is_hinted = any(near in hints for near in range(number, number + 3)) or _has_glued(heard, number)
        cue = _latest(number, strong, asked, reach=_REACH if is_hinted else _PLAIN_REACH)
        if cue is None and is_hinted:
            coming = range(number + 1, number + 4)
            announced = any(near in strong for near in coming) or _hint_count(heard, number) >= 2
            cue = weak_cue if weak_cue is not None else heard.span(number)[0] if announced else None
        if cue is None or (not is_hinted and coded.intersection(range(number - _REACH, number))):
            continue
        start, end = heard.span(number)
        begin = max(start, cue) if cue > start else start
        yield from _answer_in(heard, begin, end, is_first=cue > start, is_hinted=is_hinted)


def _hint_count(heard: _Heard, number: int) -> int:
    """Different spelling hints in sentence `number` and the next one."""
    start = heard.span(number)[0]
    end = heard.span(min(number + 1, len(heard.sentences) - 1))[1]
    return len({match.group()[:6] for match in HINT_PATTERN.finditer(heard.lowered, start, end)})


def _latest(number: int, *cues: dict[int, int], reach: int) -> int | None:
    """End offset of the nearest cue at or before sentence `number`, within reach."""
    for sentence in range(number, number - reach - 1, -1):
        ends = [found[sentence] for found in cues if sentence in found]
        if ends:
            return max(ends)
    return None


def _answer_in(heard: _Heard, start: int, end: int, *, is_first: bool, is_hinted: bool) -> Iterator[tuple[int, int]]:
    if start >= end:
        return
    pattern = STRICT_IT_IS if not is_hinted else IT_IS_PATTERN
    was_asked = is_first or "?" in heard.text[max(start - _QUESTION_CHARS, 0) : start]
    longest = _ANY_LENGTH if is_hinted or was_asked else 3
    clause: tuple[int, int] | None = None
    for match in pattern.finditer(heard.lowered, start, end):
        if WORKERS_NAME_BEFORE.search(heard.lowered, start, match.start()):
            continue
        if clause is None or match.start() >= clause[1]:
            found = _clause(heard, match.end(), end)
            if found is not None and len(heard.tokens_between(*found)) <= longest:
                clause = found
                yield clause
    if clause is not None:
        return
    if is_first:
        return
    yield from _bare_answer(heard, start, end, is_hinted=is_hinted)


def _bare_answer(heard: _Heard, start: int, end: int, *, is_hinted: bool) -> Iterator[tuple[int, int]]:
    """A sentence that is nothing but the secret: "Petunia.", "Rosebud, all small, then oh nine." """
    answer = ANSWER_PATTERN.match(heard.lowered[start:end])
    begin = start + (answer.end() if answer else 0)
    comma = heard.lowered.find(",", begin, end)
    words = heard.tokens_between(begin, comma if is_hinted and comma > 0 else end)
    if 0 < len(words) <= 6 and _looks_named(words) and not _is_harmless(heard.lowered[begin:end].rstrip(_EDGES)):
        yield begin, end


def _looks_named(words: Sequence[Token]) -> bool:
    """Whether a bare answer of a few words is a name or a word nobody says in small talk."""
    spoken = [word for word in words if not is_number_word(word.lower) and word.lower not in SYMBOL_TAIL]
    unusual = [word for word in spoken if word.lower not in SHORT_TALK and len(word.text) > 3 and word.text.isalpha()]
    return len(spoken) <= 3 and len(unusual) >= max(1, len(spoken) - 1)


def _has_glued(heard: _Heard, number: int) -> bool:
    return any(GLUED.fullmatch(heard.tokens[index].text) for index in heard.sentences[number])


def _listed(heard: _Heard) -> Iterator[tuple[int, int]]:
    """Recovery words: the list after the cue, in its sentence or the two following ones."""
    for number, cue_end in _sentences_of(heard, LIST_CUE_PATTERN).items():
        for sentence in range(number, min(number + 3, len(heard.sentences))):
            start, end = heard.span(sentence)
            start = max(start, cue_end)
            parts = re.split(r"[\s,]+(?:and )?", heard.lowered[start:end].strip(" ,.:"))
            if start < end and len(parts) >= 4 and heard.lowered.count(",", start, end) >= len(parts) // 2:
                yield start, end


def _lettered(heard: _Heard) -> Iterator[tuple[int, int]]:
    """ "letters two, five and six" of a memorable word."""
    for number in _sentences_of(heard, LETTERS_PATTERN):
        start, end = heard.span(number)
        near = range(max(number - 5, 0), number + 1)
        if any(STRONG_PATTERN.search(heard.lowered, *heard.span(sentence)) for sentence in near):
            for match in LETTERS_PATTERN.finditer(heard.lowered, start, end):
                yield match.span(1)


def _indices_in(tokens: Sequence[Token], spans: Iterable[tuple[int, int]]) -> Iterator[int]:
    """Indices of the tokens that lie in any of `spans`."""
    ordered, position = sorted(spans), 0
    for index, token in enumerate(tokens):
        while position < len(ordered) and ordered[position][1] <= token.start:
            position += 1
        if position < len(ordered) and ordered[position][0] <= token.start:
            yield index


def _secret_words(heard: _Heard, spans: Sequence[tuple[int, int]], runs: Sequence[Run]) -> set[str]:
    """The telling words of the spans, and what spelled letters spell."""
    words = set()
    for index in _indices_in(heard.tokens, spans):
        word = heard.tokens[index].lower.removesuffix("'s")
        if 4 <= len(word) <= 40 and word not in SHORT_TALK and not word.isdecimal() and not heard.tokens[index].is_mask:
            words.add(re.sub(r"[\d_]+$", "", word))
    for run in runs:
        if run.letters >= 4 and any(start <= run.start < end for start, end in spans[:50]):
            words.add("".join(char for char in run.chars.replace("0", "o") if char.isalpha()))
    return {word for word in words if len(word) >= 4}


def _repeated(heard: _Heard, words: set[str]) -> Iterator[tuple[int, int]]:
    """Places where a secret word, a part of it or a pair of words that makes it comes again."""
    if not words:
        return
    parts = {word[first:] for word in words for first in range(len(word) - 4)} | {
        word[:end] for word in words for end in range(5, len(word))
    }
    tokens = heard.tokens
    for index, token in enumerate(tokens):
        word = token.lower.removesuffix("'s")
        if len(word) < 4 and not word.isalpha():
            continue
        following = tokens[index + 1].lower if index + 1 < len(tokens) else ""
        if following and word + following in words:
            yield token.start, tokens[index + 1].end
        elif word in words or (word in parts and word not in SHORT_TALK) or re.sub(r"[\d_]+$", "", word) in words:
            yield token.start, token.end


def _pairs_again(heard: _Heard, spans: Sequence[tuple[int, int]], runs: Sequence[Run]) -> Iterator[tuple[int, int]]:
    """Where a word and the number after it, both in a secret, come again: "Tui seventy-four, says the budgie"."""
    inside = set(_indices_in(heard.tokens, spans))
    pairs = {
        index: (heard.tokens[runs[index].first - 1].lower, runs[index].chars)
        for index in range(len(runs))
        if runs[index].first
    }
    secret = {
        pair
        for index, pair in pairs.items()
        if {runs[index].first - 1, runs[index].first} <= inside and len(pair[1]) >= 2 and pair[0] not in SHORT_TALK
    }
    for index, pair in pairs.items():
        if pair in secret:
            yield heard.tokens[runs[index].first - 1].start, runs[index].end


def _spelled_out(heard: _Heard, runs: Sequence[Run]) -> Iterator[tuple[int, int]]:
    """ "capital M, o, o, s, e" near a password cue or an account's name."""
    cued = {*_sentences_of(heard, STRONG_PATTERN), *_sentences_of(heard, WEAK_PATTERN)}
    for run in runs:
        if run.letters >= 4 and any(run.sentence + step in cued for step in range(-_REACH, 2)):
            yield run.start, run.end


def _glued(heard: _Heard) -> Iterator[tuple[int, int]]:
    """Words with figures stuck to them, close to a password cue."""
    cued = {*_sentences_of(heard, STRONG_PATTERN), *_sentences_of(heard, WEAK_PATTERN)}
    for token in heard.tokens:
        if GLUED.fullmatch(token.text) and any(token.sentence + step in cued for step in range(-_REACH, 2)):
            yield token.start, token.end


def _bare_tails(heard: _Heard, runs: Sequence[Run], near: set[int]) -> Iterator[tuple[int, int]]:
    """What is added in sentences of its own: "Then 67.", "M, o, o, s, e."."""
    for run in runs:
        words = heard.sentences[run.sentence]
        is_near = any(run.sentence - step in near for step in range(1, 4)) or run.sentence in near
        others = [heard.tokens[index].lower for index in words if not run.first <= index <= run.last]
        is_bare = len(others) <= 2 or (len(others) <= 6 and all(word in SHORT_TALK for word in others))
        is_time = run.first > 0 and heard.tokens[run.first - 1].lower in TIME_BEFORE
        if is_near and (
            (is_bare and not is_time and 2 <= len(run.chars) <= 6) or (run.letters >= 3 and not run.digits)
        ):
            yield run.start, run.end


def _with_tails(heard: _Heard, spans: Iterable[tuple[int, int]], runs: Sequence[Run]) -> Iterator[tuple[int, int]]:
    """Each span grown over the numbers and symbol words right after it, in the same sentence."""
    by_first = {run.first: run for run in runs}
    tokens = heard.tokens
    indices = set(_indices_in(tokens, list(spans)))
    for start, end in _grouped(sorted(indices)):
        last, sentence = end, tokens[end].sentence
        cursor = end + 1
        while cursor < len(tokens) and tokens[cursor].sentence == sentence and cursor - last <= 4:
            if cursor in by_first:
                last = by_first[cursor].last
                cursor = last + 1
            elif tokens[cursor].lower in SYMBOL_TAIL:
                last = cursor if tokens[cursor].lower in ("underscore", "exclamation", "mark", "dash", "sign") else last
                cursor += 1
            else:
                break
        yield tokens[start].start, tokens[last].end


def _grouped(indices: Sequence[int]) -> Iterator[tuple[int, int]]:
    """First and last of each stretch of consecutive indices."""
    first = 0
    for position, index in enumerate(indices):
        if position + 1 == len(indices) or indices[position + 1] != index + 1:
            yield indices[first], index
            first = position + 1
