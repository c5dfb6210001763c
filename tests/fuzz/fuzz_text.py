"""What reads speech and answers of models: pure functions, which take anything and never fail."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from random import Random
from zoneinfo import ZoneInfo

from fuzz.fuzz_words import document, mangled, text

from junod.audit import is_suspect
from junod.cli.replay import parse_moment
from junod.dedup.grouping import read_answer
from junod.dedup.parsed import parse as parse_memory
from junod.dedup.policy import judge
from junod.errors import ExtractionError, UsageError
from junod.extract.generate import parse
from junod.extract.verify import verify
from junod.memory.markdown import list_items, open_part, plain, struck, ticked
from junod.persona.lexicon import find
from junod.records import Kind, Memory, Passage, Transcription
from junod.redact.credentials import mask, mask_all
from junod.resources import data_file
from junod.rules.asking import asking
from junod.rules.reading import read_rules
from junod.spoken_orders import find_order
from junod.stt.guards import guard
from junod.web.markdown import to_html
from junod.when.choice import resolve_talk
from junod.when.learned import LEARNED_FILE, load_learned
from junod.when.past import past_range
from junod.when.phrases import find_time_phrases
from junod.when.resolve import resolve

ZONES = tuple(ZoneInfo(name) for name in ("Europe/Berlin", "UTC", "Pacific/Apia", "Asia/Kathmandu"))
MOMENTS = (
    datetime(2026, 3, 24, 18, tzinfo=UTC),
    datetime(2026, 3, 29, 0, 59, 59, tzinfo=UTC),
    datetime(9999, 12, 31, 12, tzinfo=UTC),
    datetime(1, 1, 2, tzinfo=UTC),
    datetime(1970, 1, 1, tzinfo=UTC),
)
GOOD_ENTRIES = [
    {"kind": "shopping", "items": ["milk", "eggs"]},
    {"kind": "reminder", "quote": "remind me to call", "when": "tomorrow", "memory": "Call the plumber"},
]
TIMED = (Kind.APPOINTMENT, Kind.EVENT, Kind.REMINDER)
LEARNED = load_learned(data_file(f"models/gate/{LEARNED_FILE}"))
ORDINARY = 1_000
"""Characters; in a longer text each mask may uncover the next one, and the passes end."""
OPENING = '{"memories": ['


def model_answer(rng: Random) -> None:
    written = document(rng, {"memories": GOOD_ENTRIES})
    answer = written[len(OPENING) :] if rng.random() < 0.8 else written
    try:
        proposals = parse(answer, rng.randint(1, 4))
    except ExtractionError:
        return
    said = text(rng) + " remind me to call the plumber tomorrow, milk and eggs"
    verify(proposals, Passage("p", said, MOMENTS[0], "kitchen"), 4)


def group_answer(rng: Random) -> None:
    written = document(rng, {"groups": [{"notes": [1, 2], "why": "same"}, {"notes": [2, 3], "why": "replaced"}]})
    notes = [parse_memory(_memory(rng)) for _ in range(3)]
    judge(notes[0], notes[1])
    with suppress(ExtractionError):
        read_answer(written[len('{"groups": [') :], notes)


def _memory(rng: Random) -> Memory:
    now = MOMENTS[0]
    return Memory(
        id=str(rng.randrange(99)), memory=text(rng), transcript=text(rng), room="kitchen", device_id="",
        spoken_at=now, created_at=now, expires_at=rng.choice((None, now + timedelta(days=1))), archived=False,
        source="voice", confidence=0.5, supersedes=(), household_id="home",
    )  # fmt: skip


def time_words(rng: Random) -> None:
    said, zone, now = text(rng, 8), rng.choice(ZONES), rng.choice(MOMENTS)
    kind, day_first = rng.choice(list(Kind)), rng.random() < 0.5
    resolve(said, spoken_at=now, zone=zone, kind=kind, day_first=day_first, hint=text(rng, 5))
    past_range(said, now=now, zone=zone, day_first=day_first)
    find_time_phrases(said, day_first=day_first)
    if kind in TIMED:
        resolve_talk(
            said, spoken_at=now, zone=zone, kind=kind, weight=lambda start, end: 1.0, learned=LEARNED,
            day_first=day_first, context=[text(rng, 6) for _ in range(rng.randrange(3))],
        )  # fmt: skip
    with suppress(UsageError):
        parse_moment("--at", mangled(rng, now.isoformat()))


def credentials(rng: Random) -> None:
    said, before = text(rng), [text(rng, 6) for _ in range(rng.randrange(3))]
    masked = mask(said, before).text
    if len(said) < ORDINARY:
        assert mask(masked, before).text == masked, "masking again changed something"
    mask_all([*before, said])


def markdown(rng: Random) -> None:
    written = mangled(rng, "Shopping list:\n- ~~milk~~\n- **eggs**\n\n1. [a](javascript:x) <b>") + text(rng, 4)
    for item in list_items(written):
        ticked(written, item.text, done=rng.random() < 0.5)
    ticked(written, text(rng, 2), done=True)
    struck(written), open_part(written), plain(written)
    assert "<script" not in to_html(written)


def talk(rng: Random) -> None:
    said = text(rng)
    find_order(said)
    is_suspect(said)
    find(said, ("Leo", "Mina"), for_us=rng.random() < 0.5)
    guard(Transcription(said, rng.uniform(-5, 0), rng.random(), rng.uniform(0, 5)), rng.uniform(0, 28))


class _Says:
    """A language model that answers so."""

    def __init__(self, answer: str) -> None:
        self._answer = answer

    def read(self, prompt: object) -> object:
        raise NotImplementedError

    def complete(self, prompt: object, grammar: str | None, max_tokens: int, deadline_s: float) -> str:
        return self._answer

    def close(self) -> None:
        pass


RULES = (
    "from now on when I say the club I mean the chess club", "never remember anything about school",
    "always tag swimming as sport", "remind me two hours before appointments", "don't listen between nine and ten",
    "from now on dinner is at seven", "from now on tag it",
)  # fmt: skip


def rules(rng: Random) -> None:
    said = mangled(rng, rng.choice(RULES)) + rng.choice(("", ". ")) + text(rng, 3)
    answer = document(rng, {"about": "chess", "to": "club", "tag": "sport"})[len('{"about": "') :]
    read_rules(said)
    with suppress(ExtractionError):
        read_rules(said, asking(_Says(answer), 1.0))  # type: ignore[arg-type]


TEXT: dict[str, Callable[[Random], None]] = {
    "llm": model_answer,
    "dedup-llm": group_answer,
    "time": time_words,
    "mask": credentials,
    "markdown": markdown,
    "talk": talk,
    "rules": rules,
}
