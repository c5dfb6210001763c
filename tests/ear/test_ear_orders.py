"""What counts as an order by voice, as recognisers write it, and what only sounds like one."""

from __future__ import annotations

from datetime import timedelta

import pytest

from junod.spoken_orders import OrderKind, find_order


@pytest.mark.parametrize(
    ("text", "kind", "minutes", "until_morning"),
    [
        ("Junod, off the record.", OrderKind.OFF_RECORD, None, False),
        ("Juno off the record for ten minutes", OrderKind.OFF_RECORD, 10, False),
        ("You know, half the record for 10 minutes.", OrderKind.OFF_RECORD, 10, False),
        ("Do not offer a record for a hour.", OrderKind.OFF_RECORD, 60, False),
        ("You know, off the record for a horror.", OrderKind.OFF_RECORD, None, False),
        ("Okay. Juno, off the record until morning, please.", OrderKind.OFF_RECORD, None, True),
        ("You nod off the record for half an hour.", OrderKind.OFF_RECORD, 30, False),
        ("Juno, forget that.", OrderKind.FORGET, None, False),
        ("Oh dear. Juneau, forget it!", OrderKind.FORGET, None, False),
        ("Do not forget the last 5 minutes.", OrderKind.FORGET, 5, False),
        ("You know, forget the last hour.", OrderKind.FORGET, 60, False),
        ("Jew know, forget the last forty-five minutes", OrderKind.FORGET, 45, False),
        ("Junod, mute.", OrderKind.MUTE, None, False),
        ("You know, mute.", OrderKind.MUTE, None, False),
        ("And then she told me. June-o, mute yourself.", OrderKind.MUTE, None, False),
    ],
)
def test_orders(text: str, kind: OrderKind, minutes: int | None, until_morning: bool) -> None:
    order = find_order(text)
    assert order is not None
    assert order.kind is kind
    assert order.duration == (timedelta(minutes=minutes) if minutes else None)
    assert order.until_morning is until_morning


@pytest.mark.parametrize(
    "text",
    [
        "",
        "...",
        "Do not forget that.",
        "You know, forget that.",
        "Don't forget that, Juno.",
        "Do not forget that Anna comes at three.",
        "You don't forget the milk.",
        "You know, off the record he said he would resign.",
        "That was off the record.",
        "Off the record.",
        "Do not mute.",
        "You know you are on mute.",
        "Juno was a good film.",
        "Did you know half the records are gone?",
        "Forget the last five minutes.",
    ],
)
def test_what_only_sounds_like_an_order(text: str) -> None:
    assert find_order(text) is None


def test_a_time_of_nothing_is_no_time() -> None:
    order = find_order("Juno, forget the last 0 minutes")
    assert order is not None
    assert order.duration is None
