"""A whole run over a real store: one list, one appointment, all transcripts behind them, nothing lost on the way."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from dedup.dedup_fakes import BERLIN, NOW, Home, ScriptedModel, failure, group, hours_ago, new, shopping
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from memory.memory_fakes import HashEmbedder

from junod.clock import SimulatedClock
from junod.dedup.loop import Deduper
from junod.memory.store import EVERYTHING, MemoryStore
from junod.records import Memory, NewMemory
from junod.sections import DedupSettings

TUESDAY_3 = datetime(2026, 3, 31, 15, tzinfo=BERLIN)
DENTIST = "Dentist for Leo — Tue 31 Mar 2026, 15:00"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[MemoryStore]:
    with MemoryStore.open(tmp_path / "junod.db", clock=SimulatedClock(NOW)) as opened:
        yield opened


@pytest.fixture
def home(store: MemoryStore) -> Home:
    return Home(store)


# --- the morning ----------------------------------------------------------------------------------------------------


def test_a_morning_leaves_one_list_and_one_appointment_with_all_that_was_said_behind_them(home: Home) -> None:
    """Issue 4: we need milk, grab eggs, out of milk again; the dentist moved from three to four."""
    home.hear(
        new(shopping("milk"), 10, transcript="we need milk"),
        new(shopping("eggs"), 9.25, transcript="grab eggs"),
        new(shopping("milk"), 8.75, transcript="we're out of milk again"),
        new(DENTIST, 9, transcript="Leo's dentist is next Tuesday at three", expires_at=TUESDAY_3),
        new(
            "Dentist moved to four — Tue 24 Mar 2026, 16:00",
            3,
            transcript="the dentist moved from three to four",
            expires_at=NOW.replace(hour=16) + timedelta(days=1),
        ),
    )
    report = home.run()
    assert home.texts() == [shopping("milk", "eggs"), "Dentist for Leo — Tue 31 Mar 2026, 16:00"]
    milk, dentist = home.store.list(oldest_first=True)
    assert list(home.heard(milk.id)) == ["we need milk", "grab eggs", "we're out of milk again"]
    assert len(home.heard(dentist.id)) == 2
    assert dentist.expires_at == TUESDAY_3.replace(hour=16)
    assert (report.superseded, report.llm_calls) == (5, 0)
    assert not home.run().merged


def test_two_devices_that_hear_one_sentence_make_one_item(home: Home) -> None:
    """m13: two daemons, a second of skew."""
    said = "buy milk and another 500 grams of rice"
    list_ = shopping("milk", "another 500 grams of rice")
    home.hear(
        new(list_, spoken_at=hours_ago(1), device_id="display-1", transcript=said),
        new(list_, spoken_at=hours_ago(1) + timedelta(seconds=1), device_id="display-2", transcript=said),
    )
    home.run()
    assert home.texts() == [shopping("milk", "another 500 grams of rice")]
    (kept,) = home.store.list()
    assert len(home.heard(kept.id)) == 2


def test_the_same_sentence_twice_is_one_memory_with_two_sources(home: Home) -> None:
    """m55, m56: and the original survives as history."""
    first, second = home.hear(new("Bins go out Tuesday", 30), new("Bins go out on Tuesday", 1))
    home.run()
    (kept,) = home.store.list()
    assert set(kept.supersedes) == {first.id, second.id}
    assert {one.id for one in home.store.history(kept.id)} == {first.id, second.id, kept.id}
    assert home.store.get(first.id).memory == "Bins go out Tuesday"


def test_a_contradiction_leaves_the_newer_one_with_a_link_to_the_older(home: Home) -> None:
    """m58, m68."""
    old, _, _, _ = home.hear(
        new("Vet is Friday", 30),
        new("Vet moved to Monday", 1),
        new("Ana works at the bakery", 300),
        new("Ana works at the library now", 2),
    )
    report = home.run()
    assert home.texts() == ["Ana works at the library now", "Vet moved to Monday"]
    assert home.store.get(old.id).superseded_by
    assert report.llm_calls == 0


def test_a_correction_on_screen_stays(home: Home) -> None:
    """m70: oat milk corrected to soy milk by hand; dedup does not bring the old one back."""
    (said,) = home.hear(new(shopping("oat milk"), 2))
    home.store.edit(said.id, shopping("soy milk"))
    home.hear(new(shopping("tea"), 1))
    home.run()
    assert home.texts() == [shopping("soy milk", "tea")]


def test_two_occasions_stay_two(home: Home) -> None:
    """m64."""
    home.hear(new("Oil change 1 March", 400), new("Oil change 1 September", 1))
    home.run()
    assert len(home.texts()) == 2


def test_one_digit_of_difference_is_never_a_silent_drop(home: Home) -> None:
    """m65."""
    home.hear(new("Rent due 15th", 20), new("Rent due 16th", 1))
    home.run()
    assert home.texts() == ["Rent due 15th", "Rent due 16th"]


def test_ten_facts_about_a_person_survive_an_eleventh(home: Home) -> None:
    """m62: nothing superseded, and m67: a 'not' is no conflict."""
    facts = (
        "works at the bakery", "does not eat fish", "sings in the choir", "lives in Mill Lane", "has a red bike",
        "studies law", "is allergic to nuts", "plays chess", "drives a van", "feeds the neighbour's cat",
    )  # fmt: skip
    home.hear(*(new(f"Ana {fact}", 100 + n) for n, fact in enumerate(facts)), new("Ana met the plumber", 1))
    home.hear(new("The fish man comes Friday", 0.5))
    assert home.run().superseded == 0


def test_only_the_memory_that_was_meant_is_touched(home: Home) -> None:
    """m71: five rows, the neighbour is the fourth."""
    texts = (
        "Ladder in the shed",
        "Drill in the cellar",
        "Tent in the attic",
        "Router behind the sofa",
        "Key in the pot",
    )
    rows = home.hear(*(new(text, 200 - n) for n, text in enumerate(texts)), new("Router is behind the sofa", 1))
    home.run()
    gone = {one.id for one in home.store.list(EVERYTHING) if one.superseded_by}
    assert gone == {rows[3].id, rows[5].id}


def test_the_date_of_an_appointment_told_twice_is_kept(home: Home) -> None:
    """m73, m74: the end comes from the sources, not from the moment of merging."""
    home.hear(
        new(DENTIST, 30, expires_at=TUESDAY_3), new("Leo's dentist — Tue 31 Mar 2026, 15:00", 1, expires_at=TUESDAY_3)
    )
    home.run()
    (kept,) = home.store.list()
    assert kept.expires_at == TUESDAY_3
    assert "31 Mar 2026, 15:00" in kept.memory
    assert kept.spoken_at == hours_ago(1)


def test_what_was_forgotten_hides_nothing_that_is_said_again(home: Home) -> None:
    """m76: neither its words nor its vector."""
    (salt,) = home.hear(new(shopping("salt"), 3))
    home.store.forget(salt.id)
    home.hear(new(shopping("salt"), 1))
    home.run()
    assert home.texts() == [shopping("salt")]


def test_what_is_done_blocks_nothing_and_stays_done(home: Home) -> None:
    """m77: milk was ticked; the next day it is needed again."""
    (milk,) = home.hear(new(shopping("milk"), 26))
    home.store.done(milk.id)
    home.hear(new(shopping("milk"), 2), new(shopping("jam"), 1))
    home.run()
    assert home.texts() == ["~~Shopping list:~~\n- ~~milk~~", shopping("milk", "jam")]


def test_the_note_of_an_item_survives(home: Home) -> None:
    """m82; m79: toast and butter are two, salt and vinegar crisps one."""
    home.hear(
        new(shopping("milk, the blue one", "salt and vinegar crisps"), 3), new(shopping("milk", "toast and butter"), 1)
    )
    home.run()
    assert home.texts() == [shopping("milk, the blue one", "salt and vinegar crisps", "toast", "butter")]


def test_a_list_for_good_stays_for_good_and_a_dated_one_ends_with_its_last(home: Home) -> None:
    friday, sunday = (datetime(2026, 3, day, tzinfo=BERLIN) for day in (28, 30))
    title = {"title": "Party list:"}
    home.hear(
        new(shopping("ice", **title), 3, expires_at=sunday),
        new(shopping("cups", **title), 2, expires_at=friday),
        new(shopping("soap"), 3, expires_at=friday),
        new(shopping("rice"), 1),
    )
    home.run()
    ends = {one.memory.splitlines()[0]: one.expires_at for one in home.store.list()}
    assert ends == {"Party list:": sunday, "Shopping list:": None}


def test_a_change_that_fits_two_appointments_touches_none(home: Home) -> None:
    for name, day in (("Leo", 31), ("Mia", 30)):
        at = datetime(2026, 3, day, 15, tzinfo=BERLIN)
        home.hear(new(f"Dentist for {name} — {at:%a} {day} Mar 2026, 15:00", 30, expires_at=at))
    home.hear(new("Dentist moved — Wed 25 Mar 2026, 17:00", 1, expires_at=datetime(2026, 3, 25, 17, tzinfo=BERLIN)))
    report = home.run()
    assert (report.superseded, report.ambiguous) == (0, 1)


def test_a_change_once_followed_reaches_for_no_second_appointment(home: Home) -> None:
    """The merged text still says 'moved'; what is stored later under the same name is another matter."""
    home.hear(new("Vet is Friday", 30), new("Vet moved to Monday", 2))
    home.run()
    home.hear(new("Vet is on 5 June", 40))
    assert not home.run().merged


def test_unsynced_memories_wait_until_their_time_is_known(home: Home) -> None:
    home.hear(new(shopping("milk"), 3), new(shopping("eggs"), 1, clock_synced=False))
    assert not home.run().merged


def test_order_is_by_speech_not_by_arrival(home: Home) -> None:
    home.hear(new("Vet moved to Monday", 1), new("Vet is Friday", 30))
    home.run()
    assert home.texts() == ["Vet moved to Monday"]


# --- the model --------------------------------------------------------------------------------------------------------

SLEDGE = ("The sledge hangs in the shed", "The red sledge hangs in the shed")


def test_the_model_decides_what_rules_cannot_and_the_fuller_text_is_kept(home: Home) -> None:
    home.model.script = [group(1, 2)]
    home.hear(new(SLEDGE[0], 50), new(SLEDGE[1], 1))
    report = home.run()
    assert home.texts() == [SLEDGE[1]]
    assert [one.merge.reason for one in report.merged] == ["model-same"]
    assert report.llm_calls == 1


def test_what_the_model_kept_apart_is_not_asked_again(home: Home) -> None:
    home.hear(new(SLEDGE[0], 50), new(SLEDGE[1], 1))
    assert home.run().llm_calls == 1
    assert home.run().llm_calls == 0
    assert len(home.texts()) == 2


def test_an_id_that_was_not_offered_changes_nothing(home: Home) -> None:
    """m59."""
    home.model.script = [group(1, 12)]
    home.hear(new(SLEDGE[0], 50), new(SLEDGE[1], 1))
    report = home.run()
    assert (report.superseded, report.invented) == (0, 1)
    assert home.texts() == list(SLEDGE)


def test_the_model_cannot_put_together_what_a_rule_keeps_apart(home: Home) -> None:
    """Two older notes that differ in a number, both open against the newer one."""
    home.model.script = [group(1, 2, 3)]
    home.hear(
        new("Ana's locker 41 at school", 60),
        new("Ana's locker 47 at school", 50),
        new("Ana's brass locker at school", 1),
    )
    report = home.run()
    assert (report.llm_calls, report.invented, report.superseded) == (1, 1, 0)


def test_a_failing_model_is_reported_and_asked_again_next_time(home: Home) -> None:
    home.model.script = [failure(), group(1, 2)]
    home.hear(new(SLEDGE[0], 50), new(SLEDGE[1], 1))
    report = home.run()
    assert (report.llm_failures, report.superseded) == (1, 0)
    assert home.run().superseded == 2


def test_without_a_model_open_questions_stay_apart(store: MemoryStore) -> None:
    home = Home(store)
    home.deduper._llm = None
    home.hear(new(SLEDGE[0], 50), new(SLEDGE[1], 1))
    assert home.run().llm_calls == 0


def test_what_arrives_while_the_model_thinks_is_still_there(home: Home) -> None:
    """m61: another thread stores during a slow call; nothing waits for it and nothing is lost."""
    arrived: list[str] = []

    def slow() -> str:
        other = threading.Thread(target=lambda: arrived.append(home.store.add(new("Olga rings at six", 0.1)).id))
        other.start()
        other.join(60)
        return group(1, 2)

    home.model.script = [slow]
    home.hear(new(SLEDGE[0], 50), new(SLEDGE[1], 1))
    home.run()
    assert arrived
    assert home.texts() == [SLEDGE[1], "Olga rings at six"]


def test_what_is_changed_while_the_model_thinks_wins(home: Home) -> None:
    rows: list[Memory] = []

    def slow() -> str:
        home.store.forget(rows[0].id)
        return group(1, 2)

    home.model.script = [slow]
    rows = home.hear(new(SLEDGE[0], 50), new(SLEDGE[1], 1))
    report = home.run()
    assert (report.conflicts, report.superseded) == (1, 0)
    assert home.texts() == [SLEDGE[1]]


def test_speech_interrupts_between_questions(home: Home) -> None:
    home.hear(new(SLEDGE[0], 50), new(SLEDGE[1], 1))
    turns = iter([True, False])
    report = home.run(may_go_on=lambda: next(turns))
    assert (report.is_complete, report.llm_calls) == (False, 0)
    assert home.run().llm_calls == 1


def test_the_model_is_given_back_after_it_was_asked_and_only_then(store: MemoryStore) -> None:
    given_back: list[str] = []

    def give_back() -> None:
        given_back.append("ready")
        raise failure()

    deduper = Deduper(store, DedupSettings(), ScriptedModel(), None, after_asking=give_back)
    store.add(new("Tent in the attic"))
    deduper.run(NOW)
    assert given_back == []
    for text, ago_h in zip(SLEDGE, (50, 1), strict=True):
        store.add(new(text, ago_h))
    assert deduper.run(NOW).llm_calls == 1
    assert given_back == ["ready"]


def test_questions_are_limited(store: MemoryStore) -> None:
    home = Home(store, settings=DedupSettings(max_llm_calls=2))
    for number, thing in enumerate(("Ladder", "Tent", "Drill")):
        home.hear(new(f"{thing} in the shed", 90 + number), new(f"Wooden {thing} in the shed", 1 + number))
    report = home.run()
    assert (report.llm_calls, report.is_capped) == (2, True)


# --- limits, dry runs, stability --------------------------------------------------------------------------------------


def test_a_run_supersedes_no_more_than_it_may(store: MemoryStore) -> None:
    """m62: a cap for each run; the next run does the rest."""
    home = Home(store, settings=DedupSettings(max_supersedes=4))
    home.hear(*(new(shopping(item), 9 - n) for n, item in enumerate(("tea", "jam", "figs", "rice", "soap", "eggs"))))
    report = home.run()
    assert (report.superseded, report.is_capped) == (4, True)
    home.run()
    assert home.texts() == [shopping("tea", "jam", "figs", "rice", "soap", "eggs")]


def test_a_dry_run_shows_the_merge_and_changes_nothing(home: Home) -> None:
    home.hear(new(shopping("milk"), 3), new(shopping("eggs"), 1))
    report = home.run(dry_run=True)
    assert [one.memory.memory for one in report.merged] == [shopping("milk", "eggs")]
    assert len(home.texts()) == 2
    assert home.run().merged


def test_a_thorough_run_finds_the_same(store: MemoryStore) -> None:
    home = Home(store)
    home.hear(new(shopping("milk"), 300), new("Router behind the sofa", 200), new("Router is behind the sofa", 2))
    home.hear(new(shopping("eggs"), 1))
    assert home.run(dry_run=True, thorough=True).superseded == home.run(dry_run=True).superseded == 4


def test_a_merged_memory_has_a_vector_of_its_own_text(store: MemoryStore) -> None:
    embedder = HashEmbedder()
    home = Home(store, embedder=embedder)
    home.hear(new(shopping("milk"), 3), new(shopping("eggs"), 1))
    home.run()
    (kept,) = store.list()
    assert kept.id not in {one.id for one in store.unembedded(embedder.name, embedder.dims)}


def test_a_list_too_long_to_store_is_left_as_it_is(home: Home) -> None:
    home.hear(
        new(shopping(*(f"spice number {n}" for n in range(200))), 3),
        new(shopping(*(f"screw number {n}" for n in range(150))), 1),
    )
    report = home.run()
    assert (report.superseded, report.is_capped) == (0, True)


SENTENCES = st.sampled_from(
    [
        shopping("milk"), shopping("eggs", "milk"), shopping("toast and butter"), "Buy jam", "Vet is Friday",
        "Vet moved to Monday", "Vet moved to Wednesday", "Bins go out Tuesday", "Bins go out on Tuesday",
        "Ana works at the bakery", "Ana works at the library now", "Ana works at the school now", "Rent due 15th",
        "Rent due 16th", "Leo's shoe size is 34", "Leo's shoe size is 36 now", "Ines eats meat",
        "Ines no longer eats meat",
    ]
)  # fmt: skip


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(heard=st.lists(st.tuples(SENTENCES, st.integers(1, 60)), min_size=1, max_size=10))
def test_a_second_run_changes_nothing_and_no_list_item_is_ever_lost(
    heard: list[tuple[str, int]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Whatever is said in whatever order; with all of it recent."""
    path = tmp_path_factory.mktemp("dedup") / "junod.db"
    with MemoryStore.open(path, clock=SimulatedClock(NOW)) as opened:
        home = Home(opened, model=ScriptedModel(), settings=DedupSettings(window_h=100))
        news: list[NewMemory] = [new(text, hours) for text, hours in heard]
        home.hear(*news)
        home.run()
        after = home.texts()
        assert not home.run().merged
        assert home.texts() == after
        bought = "\n".join(after)
        for item in ("milk", "eggs", "toast", "butter", "jam"):
            if any(item in text for text, _ in heard):
                assert item in bought
        assert len([text for text in after if text.startswith("Shopping list:")]) <= 1
        assert not opened.check()
