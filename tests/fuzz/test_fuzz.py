"""Whatever is read, nothing but a JunodError, or an answer that says what is wrong, comes of it (`scripts/fuzz`)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest
from fuzz.fuzz_faces import faces
from fuzz.fuzz_files import FILES
from fuzz.fuzz_memories import MEMORIES
from fuzz.fuzz_text import TEXT
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

CHANCE = st.randoms(use_true_random=False)
SHORT = settings(
    deadline=None,
    max_examples=25,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.large_base_example],
)


@pytest.fixture(scope="module")
def doors() -> Iterator[dict[str, Callable[[Random], None]]]:
    with faces() as opened:
        logging.disable(logging.CRITICAL)
        yield opened
        logging.disable(logging.NOTSET)


READERS = {**TEXT, **MEMORIES}


@pytest.mark.parametrize("name", sorted(READERS))
@given(rng=CHANCE)
@SHORT
def test_any_text_is_read_or_refused(name: str, rng: Random) -> None:
    READERS[name](rng)


@pytest.mark.parametrize("name", sorted(FILES))
@given(seed=st.integers(0, 2**32))
@SHORT
def test_any_file_is_read_or_refused(name: str, seed: int, tmp_path: Path) -> None:
    FILES[name](Random(seed), tmp_path)


@pytest.mark.parametrize("name", ["http", "events", "mcp"])
@given(seed=st.integers(0, 2**32))
@SHORT
def test_any_request_is_answered_cleanly(name: str, seed: int, doors: dict[str, Callable[[Random], None]]) -> None:
    doors[name](Random(seed))
