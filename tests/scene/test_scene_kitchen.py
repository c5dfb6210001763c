"""The recorded kitchen is what kitchen.toml says: whole, with its pauses, its television and its people."""

from __future__ import annotations

import json
import re
import tomllib
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import av
import numpy as np
import pytest
from numpy.typing import NDArray

HERE = Path(__file__).parent
RATE_HZ = 16_000
PASSAGE_CLOSES_AFTER_S = 5.0


@pytest.fixture(scope="module")
def scene() -> dict[str, Any]:
    return tomllib.loads((HERE / "kitchen.toml").read_text("utf-8"))


@pytest.fixture(scope="module")
def times() -> list[dict[str, Any]]:
    return cast(list[dict[str, Any]], json.loads((HERE / "kitchen.json").read_text("utf-8")))


@pytest.fixture(scope="module")
def sound() -> NDArray[np.float32]:
    with av.open(str(HERE / "kitchen.flac")) as container:
        stream = container.streams.audio[0]
        assert (stream.rate, stream.channels) == (RATE_HZ, 1)
        frames = [frame.to_ndarray().ravel() for frame in container.decode(stream)]
    return np.concatenate(frames).astype(np.float32) / np.float32(32768)


def _level_dbfs(sound: NDArray[np.float32], start_s: float, end_s: float) -> float:
    stretch = sound[int(start_s * RATE_HZ) : int(end_s * RATE_HZ)].astype(np.float64)
    return float(10 * np.log10(np.mean(stretch**2) + 1e-12))


def test_the_recording_was_made_from_this_script(scene: dict[str, Any], times: list[dict[str, Any]]) -> None:
    written = [
        (passage["id"], line["voice"], line["text"]) for passage in scene["passages"] for line in passage["lines"]
    ]
    assert [(line["passage"], line["voice"], line["text"]) for line in times] == written


def test_the_recording_is_long_enough_and_small_enough(sound: NDArray[np.float32]) -> None:
    assert 120 <= len(sound) / RATE_HZ <= 180
    assert (HERE / "kitchen.flac").stat().st_size < 4_000_000
    assert float(np.max(np.abs(sound))) < 0.99


def test_passages_are_apart_long_enough_to_close(times: list[dict[str, Any]], sound: NDArray[np.float32]) -> None:
    for before, after in pairwise(times):
        pause_s = after["start_s"] - before["end_s"]
        if before["passage"] == after["passage"]:
            assert pause_s < PASSAGE_CLOSES_AFTER_S
        else:
            assert pause_s > PASSAGE_CLOSES_AFTER_S + 1
            assert _level_dbfs(sound, before["end_s"] + 1.6, after["start_s"] - 0.1) < -50


def test_the_television_is_quieter_than_the_people(
    scene: dict[str, Any], times: list[dict[str, Any]], sound: NDArray[np.float32]
) -> None:
    levels: dict[str, list[float]] = {"room": [], "television": []}
    for line in times:
        place = scene["voices"][line["voice"]]["place"]
        levels[place].append(_level_dbfs(sound, line["start_s"], line["end_s"]))
    assert max(levels["television"]) < min(levels["room"]) - 3


def test_the_scene_has_everything_a_kitchen_has(scene: dict[str, Any]) -> None:
    kinds = [expected["kind"] for passage in scene["passages"] for expected in passage["expect"]]
    assert sorted(set(kinds)) == ["appointment", "event", "fact", "reminder", "shopping"]
    assert kinds.count("shopping") == 2
    assert {"cooking-show", "sports-announcement", "vague-plan", "card-number"} <= {p["id"] for p in scene["passages"]}
    assert all(not passage["expect"] for passage in scene["passages"] if passage["origin"] == "tv")


def test_what_is_expected_expires_after_the_scene(scene: dict[str, Any]) -> None:
    start = datetime.fromisoformat(scene["start"])
    expiries = [
        datetime.fromisoformat(text)
        for passage in scene["passages"]
        for expected in passage["expect"]
        for text in expected.get("expires_at", [])
    ]
    assert len(expiries) == 3
    assert all(timedelta(0) < expiry - start < timedelta(days=7) for expiry in expiries)


@pytest.mark.models
def test_what_is_to_be_kept_is_understood(
    scene: dict[str, Any], times: list[dict[str, Any]], sound: NDArray[np.float32]
) -> None:
    """Whisper base hears the words the expected memories need, noise and echo included."""
    from faster_whisper import WhisperModel

    from junod.settings import load_settings, models_dir

    model = WhisperModel(str(models_dir(load_settings()) / "whisper-base"), device="cpu", compute_type="int8")
    for passage in scene["passages"]:
        if passage["expect"]:
            lines = [line for line in times if line["passage"] == passage["id"]]
            stretch = sound[int((lines[0]["start_s"] - 0.4) * RATE_HZ) : int((lines[-1]["end_s"] + 0.4) * RATE_HZ)]
            segments, _ = model.transcribe(stretch, language="en", beam_size=1, condition_on_previous_text=False)
            heard = " ".join(segment.text for segment in segments).lower()
            missing = [words for words in passage["expect"][0]["all"] if not re.search(words, heard)]
            assert not missing, f"{passage['id']}: {heard}"
