"""Impressions in a household: opt-in, borne out, corrected, deleted, erased with their memories, and never much."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from memory.memory_fakes import passage

import junod.persona.verbs
from junod.clock import SimulatedClock
from junod.errors import NotFoundError, UsageError
from junod.memory import persona as persona_rows
from junod.memory.context import tokens
from junod.memory.persona import PersonaStore
from junod.memory.store import MemoryStore
from junod.persona.learn import PersonaLearner
from junod.persona.lexicon import ImpressionKind
from junod.persona.share import impressions_for
from junod.persona.verbs import Persona, Trait, trait_row
from junod.records import Decision, Memory, NewMemory, Outcome
from junod.sections import PersonaSettings

BERLIN = ZoneInfo("Europe/Berlin")
MONDAY = datetime(2026, 1, 5, 9, 0, tzinfo=BERLIN)
WANTED = PersonaSettings(enabled=True, people=("Sylvie", "Osric"))


class Home:
    def __init__(self, store: MemoryStore, clock: SimulatedClock) -> None:
        self.store, self.clock = store, clock
        self.use(WANTED)

    def use(self, settings: PersonaSettings) -> None:
        self.settings = settings
        self.rows = PersonaStore(self.store.sessions)
        self.persona = Persona(self.rows, settings, BERLIN)

    @property
    def now(self) -> datetime:
        return self.clock.now().astimezone(BERLIN)

    def hear(self, transcript: str, memory: str = "Dentist on Tuesday", days: float = 1, **changes: Any) -> Memory:
        """Keep a memory of what was heard, learn from it, and let days pass."""
        room = changes.pop("room", "kitchen")
        kept = self.store.add(NewMemory(memory, transcript, self.now, changes.pop("until", None), room, **changes))
        PersonaLearner(self.store.sessions, self.settings).run()
        self.clock.advance(days * 86_400)
        return kept

    def statements(self, *, everything: bool = False) -> list[str]:
        return [trait.statement for trait in self.persona.list(self.now, everything=everything)]


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    clock = SimulatedClock(MONDAY)
    with MemoryStore.open(tmp_path / "junod.db", clock=clock) as store:
        yield Home(store, clock)


DREADS = "Dentist on Tuesday, and Sylvie dreads the dentist"


def test_a_feeling_borne_out_on_two_days_is_shown_with_its_quotes(home: Home) -> None:
    home.hear(DREADS, days=0.1)
    home.hear("Sylvie's dreading the dentist, ten on Friday")
    assert home.statements() == [], "once on one day is a mood"
    home.hear("Move it again, Sylvie is dreading the dentist")
    (trait,) = home.persona.list(home.now)
    assert trait.statement == "Sylvie dreads the dentist"
    assert [quote.text for quote in trait.quotes] == [
        "Sylvie dreads the dentist", "Sylvie's dreading the dentist", "Sylvie is dreading the dentist",
    ]  # fmt: skip
    assert trait_row(trait, BERLIN)["evidence"][0]["quote"] == "Sylvie dreads the dentist"


def test_a_trait_takes_three_days(home: Home) -> None:
    for number in range(3):
        assert home.statements() == []
        home.hear(f"Ring before {number + 8}, Osric is an early riser")
    assert home.statements() == ["Osric is an early riser"]


def test_nothing_is_formed_by_default_nor_looked_back_for(home: Home) -> None:
    home.use(PersonaSettings(people=("Sylvie",)))
    for _ in range(3):
        home.hear(DREADS)
    home.use(WANTED)
    assert home.hear("Nothing new")
    assert home.statements(everything=True) == []
    assert PersonaSettings().people == ()
    assert not PersonaSettings().enabled


def test_turned_off_nothing_is_shown_but_all_can_be_listed_and_deleted(home: Home) -> None:
    home.hear(DREADS)
    home.hear(DREADS)
    home.use(PersonaSettings(people=("Sylvie",)))
    assert home.statements() == []
    assert home.statements(everything=True) == ["Sylvie dreads the dentist"]
    assert home.persona.delete_all() == 1


def test_a_name_taken_off_the_list_is_gone_at_once(home: Home) -> None:
    home.hear(DREADS)
    home.hear(DREADS)
    home.use(PersonaSettings(enabled=True, people=("Osric",)))
    assert home.statements(everything=True) == []


def test_bedrooms_hands_and_merges_bear_nothing_out(home: Home) -> None:
    home.hear(DREADS, room="bedroom")
    home.hear(DREADS, source="manual")
    home.hear(DREADS, source="merge")
    assert home.statements(everything=True) == []


def test_only_kept_speech_is_looked_at(home: Home, tmp_path: Path) -> None:
    home.store.spool_passage(passage("p1", "Sylvie dreads the zanzibar ferry"))
    home.store.decide("p1", Decision("p1", Outcome.REJECTED, "gate"))
    home.hear("Nothing of note")
    assert home.statements(everything=True) == []
    assert traces(tmp_path, b"zanzibar") == []


def test_an_impression_fades(home: Home) -> None:
    home.hear(DREADS)
    home.hear(DREADS)
    assert home.statements()
    home.clock.advance(300 * 86_400)
    assert home.statements() == []


def test_a_correction_is_shown_instead_and_holds_nothing_clinical(home: Home) -> None:
    home.hear(DREADS)
    home.hear(DREADS)
    (trait,) = home.persona.list(home.now)
    corrected = home.persona.correct(trait.id[-8:], "Sylvie  dislikes waiting rooms", home.now)
    assert corrected.statement == "Sylvie dislikes waiting rooms"
    assert corrected.is_corrected
    for wording in ("", "x" * 201, "Sylvie has dental phobia", "Sylvie is depressed"):
        with pytest.raises(UsageError):
            home.persona.correct(trait.id, wording, home.now)
    assert home.statements() == ["Sylvie dislikes waiting rooms"]


def test_a_deleted_impression_is_not_formed_again(home: Home) -> None:
    """Case m101: deleted stays deleted, whatever is heard."""
    home.hear(DREADS)
    home.hear(DREADS)
    (trait,) = home.persona.list(home.now)
    home.persona.delete(trait.id)
    home.hear(DREADS)
    home.hear(DREADS)
    assert home.statements(everything=True) == []
    with pytest.raises(NotFoundError):
        home.persona.show(trait.id, home.now)


def test_forgetting_the_memories_erases_the_impression_and_its_correction(home: Home, tmp_path: Path) -> None:
    kept = [home.hear("Sylvie dreads the zanzibar ferry", "Ferry on Tuesday") for _ in range(2)]
    (trait,) = home.persona.list(home.now)
    home.persona.correct(trait.id, "Sylvie gets seasick on zanzibar boats".replace("seasick", "queasy"), home.now)
    home.store.forget(kept[0].id)
    assert len(home.persona.show(trait.id, home.now).quotes) == 1
    home.store.forget(kept[1].id)
    assert home.rows.all() == ()
    assert traces(tmp_path, b"zanzibar", b"queasy") == []


def test_expiry_takes_the_evidence_too(home: Home, tmp_path: Path) -> None:
    for _ in range(2):
        home.hear("Sylvie dreads the zanzibar ferry", "Ferry", until=home.now.replace(month=2))
    home.clock.advance(60 * 86_400)
    home.store.expire(home.now)
    assert home.rows.all() == ()
    assert traces(tmp_path, b"zanzibar") == []


def test_a_transcript_that_goes_with_a_sibling_takes_its_evidence(home: Home) -> None:
    said = "Sylvie dreads the zanzibar ferry, and buy salt"
    home.store.spool_passage(passage("p1", said, spoken_at=home.now))
    news = tuple(NewMemory(text, said, home.now, None, "kitchen") for text in ("Ferry", "Shopping list:\n- salt"))
    first, second = home.store.decide("p1", Decision("p1", Outcome.KEPT, "kept", memories=news))
    PersonaLearner(home.store.sessions, home.settings).run()
    (trait,) = home.persona.list(home.now, everything=True)
    assert len(trait.quotes) == 1, "the same speech counts once"
    home.store.forget(first.id)
    assert home.store.get(second.id).transcript == ""
    assert home.rows.all() == ()


def test_forgetting_everything_forgets_what_was_deleted_too(home: Home) -> None:
    home.hear(DREADS)
    home.store.forget_spoken()
    with home.store.sessions.read() as session:
        assert session.connection.execute("SELECT count(*) FROM persona_traits").fetchone()[0] == 0


def test_no_table_of_impressions_holds_a_word_of_speech(home: Home) -> None:
    home.hear(DREADS)
    home.hear(DREADS)
    with home.store.sessions.read() as session:
        tables = ("persona_traits", "persona_evidence")
        dumped = repr([tuple(row) for name in tables for row in session.connection.execute(f"SELECT * FROM {name}")])
    assert "Sylvie" not in dumped
    assert "dentist" not in dumped


def test_a_mood_changes_no_memory(home: Home) -> None:
    """Forming, correcting and deleting leave memories, their expiry and their links as they were."""
    home.hear(DREADS)
    home.hear(DREADS, until=home.now.replace(month=6))
    before = tuple(home.store.export())
    (trait,) = home.persona.list(home.now)
    home.persona.correct(trait.id, "Sylvie likes it by now", home.now)
    home.persona.delete(trait.id)
    PersonaLearner(home.store.sessions, home.settings).run()
    assert tuple(home.store.export()) == before


@pytest.mark.parametrize(
    "path",
    [*sorted(Path(junod.persona.verbs.__file__).parent.glob("*.py")), Path(persona_rows.__file__)],
    ids=lambda path: path.name,
)
def test_the_code_of_impressions_has_no_way_to_write_a_memory(path: Path) -> None:
    tree = ast.parse(path.read_text("utf-8"))
    modules = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert not modules & {"junod.memory.store", "junod.memory.changes", "junod.memory.verbs", "junod.memory.habits"}
    texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    for text in texts:
        for verb in ("INSERT INTO ", "UPDATE ", "DELETE FROM "):
            if text.startswith(verb):
                assert text.removeprefix(verb).startswith("persona_"), text


def trait(statement: str) -> Trait:
    return Trait(statement, ImpressionKind.FEELING, "Sylvie", statement, 0.5, True, False, 2, (), MONDAY)


@given(st.integers(0, 5), st.integers(0, 400), st.lists(st.sampled_from(["Sylvie dreads the dentist"] * 2), max_size=6))
def test_impressions_are_at_most_one_of_five_and_a_fifth_of_the_tokens(facts: int, words: int, said: list[str]) -> None:
    text = "dentist " * words
    block, chosen = impressions_for(text, facts, "dentist", [trait(each) for each in said], WANTED, 10_000)
    assert len(chosen) <= (facts + len(chosen)) / 5
    assert tokens(block) <= 0.2 * (tokens(text) + tokens(block))


def test_only_what_bears_on_the_talk_is_shared_and_nothing_when_off() -> None:
    traits = [trait("Sylvie can't stand coriander"), trait("Sylvie dreads the dentist")]
    facts = "- Dentist for Wim on Tuesday\n" * 40
    block, chosen = impressions_for(facts, 5, "teeth", traits, WANTED, 10_000)
    assert [each.statement for each in chosen] == ["Sylvie dreads the dentist"]
    assert "not facts" in block
    assert impressions_for(facts, 5, "teeth", traits, PersonaSettings(people=("Sylvie",)), 10_000) == ("", ())
    assert impressions_for(facts, 5, "teeth", traits, WANTED, 10) == ("", ())


def traces(folder: Path, *needles: bytes) -> list[str]:
    return [file.name for file in folder.iterdir() for needle in needles if needle in file.read_bytes().lower()]
