"""Answers of the model: proposals or a typed error, never 'nothing found'."""

from __future__ import annotations

import pytest
from extract_fakes import FakeLanguageModel, answer, entry, passage
from hypothesis import given
from hypothesis import strategies as st

from junod.errors import AnswerTooLongError, DeadlineError, ExtractionError
from junod.extract.focus import Focus
from junod.extract.generate import generate, grammar, parse
from junod.records import Kind, Proposal
from junod.sections import ExtractSettings

SETTINGS = ExtractSettings()
TALK = passage("Dentist for Leo tomorrow at three.")


def proposals(says: str | Exception) -> tuple[Proposal, ...]:
    return generate(TALK, FakeLanguageModel(says), SETTINGS)


def test_an_entry_becomes_a_proposal() -> None:
    says = answer(entry("appointment", "Dentist for Leo tomorrow at three", "Dentist for Leo", "tomorrow at three"))
    assert proposals(says) == (
        Proposal(Kind.APPOINTMENT, "Dentist for Leo", "Dentist for Leo tomorrow at three", "tomorrow at three"),
    )


def test_a_shopping_entry_becomes_a_markdown_list() -> None:
    (proposal,) = proposals(answer(entry("shopping", "out of milk and eggs", items=["milk", "eggs"])))
    assert proposal.memory == "Shopping list:\n- milk\n- eggs"
    assert proposal.items == ("milk", "eggs")


@pytest.mark.parametrize(
    "says",
    [
        "",
        "]}",
        "I am sorry, but I cannot help with that.",
        'Here is the JSON you asked for: {"kind": "fact"}]}',
        '{"kind": "fact", "quote": "a", "when": "", "memory": "b"}]} I hope this helps!',
        '{"kind": "fact", "quote": "a", "when": "", "memory": "b"}',
        '{"kind": "fact", "quote": "a\\ux12z", "when": "", "memory": "b"}]}',
        '{"kind": "recipe", "quote": "a", "when": "", "memory": "b"}]}',
        '{"kind": "fact", "quote": 7, "when": "", "memory": "b"}]}',
        '{"kind": "fact", "quote": "", "when": "", "memory": "b"}]}',
        '{"kind": "fact", "memory": "b"}]}',
        '{"kind": "shopping", "items": []}]}',
        '{"kind": "shopping", "quote": "a", "items": "milk"}]}',
        '{"kind": "fact", "quote": "a", "when": "", "memory": "' + "b" * 900 + '"}]}',
        '{"kind": "fact", "quote": "a", "when": "", "memory": "b"}], "deleted": ["all"]}',
        "[" * 3000,
    ],
)
def test_an_answer_outside_the_format_is_an_error_and_never_nothing(says: str) -> None:
    """m94, v68, v82: malformed JSON, prose around JSON, bad escapes, refusals; the constraint is never trusted."""
    with pytest.raises(ExtractionError) as caught:
        proposals(says)
    assert not caught.value.permanent


def test_an_error_never_repeats_what_was_said() -> None:
    with pytest.raises(ExtractionError) as caught:
        proposals('{"kind": "fact", "quote": 7, "memory": "Leo\'s secret"}]}')
    assert "secret" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_spaces_to_the_token_limit_are_an_error() -> None:
    """m95: a grammar that allows endless whitespace lets the model say nothing for ever."""
    with pytest.raises(ExtractionError):
        proposals(" " * 300)
    with pytest.raises(AnswerTooLongError):
        proposals(" " * 3000)


def test_a_model_that_never_stops_is_a_temporary_error() -> None:
    """v67: a token limit and a deadline on every call; the pipeline retries once, then parks."""
    with pytest.raises(DeadlineError) as caught:
        proposals(DeadlineError("The language model passed its deadline.", permanent=False))
    assert not caught.value.permanent


def test_more_entries_than_allowed_are_an_error() -> None:
    """m31: a model that goes on with generic advice."""
    with pytest.raises(ExtractionError, match="5 entries"):
        proposals(answer(*[entry("fact", "a b", "c d")] * 5))


def test_the_grammar_has_no_unbounded_repeat() -> None:
    """m95."""
    text = grammar(4)
    assert "*" not in text
    assert "+" not in text
    assert '(", " other){0,3}' in text


def test_the_grammar_is_handed_to_the_model() -> None:
    llm = FakeLanguageModel(answer(entry("fact", "a b", "c d")))
    generate(TALK, llm, SETTINGS)
    assert llm.grammars == [grammar(SETTINGS.max_memories)]


def test_the_focus_bounds_kinds_and_number_of_memories() -> None:
    llm = FakeLanguageModel(answer(entry("shopping", "out of milk", items=["milk"])))
    generate(TALK, llm, SETTINGS, Focus(("out of milk",), frozenset({Kind.SHOPPING}), 1))
    assert llm.grammars == [grammar(1, frozenset({Kind.SHOPPING}))]
    assert 'root ::= (shopping) "]}"\n' in str(llm.grammars[0])
    assert "Most likely: out of milk" in llm.prompts[0].own
    assert grammar(2, list_first=True).startswith('root ::= (shopping (", " other){0,1}) "]}"')
    assert grammar(1, frozenset({Kind.FACT})).startswith('root ::= (other) "]}"')


@given(st.text(max_size=400))
def test_any_answer_is_parsed_or_refused(says: str) -> None:
    try:
        found = parse(says, 4)
    except ExtractionError:
        return
    assert 1 <= len(found) <= 4
