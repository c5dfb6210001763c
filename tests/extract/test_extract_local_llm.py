"""The real engine: files that are no models, and a few short questions to the configured model."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import pytest
from extract_fakes import passage

from junod.errors import AnswerTooLongError, DeadlineError, ExtractionError, ModelError
from junod.extract.generate import generate
from junod.extract.language_model import Prompt
from junod.extract.local_llm import LocalLanguageModel
from junod.extract.prompt import build_prompt
from junod.sections import ExtractSettings
from junod.settings import load_settings, models_dir

SETTINGS = ExtractSettings(max_tokens=160)


def weights() -> Path:
    settings = load_settings()
    name = settings.extract.model
    return models_dir(settings) / name / f"{name}.gguf"


@pytest.fixture(scope="module")
def llm() -> Iterator[LocalLanguageModel]:
    model = LocalLanguageModel(weights(), SETTINGS)
    yield model
    model.close()
    model.close()


def test_a_missing_model_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"junod models pull") as caught:
        LocalLanguageModel(tmp_path / "none.gguf", SETTINGS)
    assert "none.gguf" in str(caught.value)


@pytest.mark.parametrize("data", [b"", b"GG", b"<html>not found</html>"])
def test_a_file_that_is_no_gguf_is_named(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "broken.gguf"
    path.write_bytes(data)
    with pytest.raises(ModelError, match=r"broken\.gguf.*junod models pull"):
        LocalLanguageModel(path, SETTINGS)


@pytest.mark.models
def test_a_model_cut_short_is_named_and_nothing_is_printed(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "cut.gguf"
    with weights().open("rb") as whole:
        path.write_bytes(whole.read(8_000_000))
    with pytest.raises(ModelError, match=r"cut\.gguf.*junod models pull"):
        LocalLanguageModel(path, SETTINGS)
    assert capfd.readouterr() == ("", "")


@pytest.mark.models
def test_the_golden_prompt_passes(llm: LocalLanguageModel) -> None:
    """v73: wrong logits with one build are seen at the start."""
    llm.self_test()


@pytest.mark.models
def test_a_self_test_that_fails_is_visible(llm: LocalLanguageModel, monkeypatch: pytest.MonkeyPatch) -> None:
    """v73."""
    monkeypatch.setattr(llm, "_piece", lambda token: b"nonsense")
    with pytest.raises(ModelError, match="computes nonsense"):
        llm.self_test()


@pytest.mark.models
def test_reading_costs_only_the_passage_and_generation_goes_on_from_it(llm: LocalLanguageModel) -> None:
    """v74: what is cached is the shared prefix, nothing else."""
    talk = passage("We're out of milk, put milk on the list.")
    other = passage("And he shoots, he scores, what a goal!")
    reading, again = llm.read(build_prompt(talk)), llm.read(build_prompt(other))
    assert math.isfinite(reading.log_odds)
    assert reading.hidden.shape == again.hidden.shape == (1536,)
    assert 20 < reading.own_tokens < 80
    assert reading.log_odds > again.log_odds
    assert llm.read(build_prompt(talk)).log_odds == pytest.approx(reading.log_odds, abs=0.05)
    proposal = generate(talk, llm, SETTINGS)[0]
    assert "milk" in proposal.memory.lower()


@pytest.mark.models
def test_limits_hold(llm: LocalLanguageModel) -> None:
    """v67, v70: token limit, deadline, and a prompt longer than the context."""
    prompt = Prompt("Count: one, two, three,", "", (), " four, five,", " six,")
    with pytest.raises(AnswerTooLongError) as caught:
        llm.complete(prompt, None, 4, 30)
    assert not caught.value.permanent
    with pytest.raises(DeadlineError):
        llm.complete(prompt, None, 40, 0)
    with pytest.raises(ExtractionError, match="grammar"):
        llm.complete(prompt, "root ::= (", 4, 30)
    small = LocalLanguageModel(weights(), ExtractSettings(context_tokens=1024, max_tokens=900))
    reading = small.read(Prompt("Count:", "", ("old " * 50,), "word " * 400, " six,"))
    small.close()
    assert reading.own_tokens <= 124


@pytest.mark.models
def test_speech_is_never_read_as_a_control_token(llm: LocalLanguageModel) -> None:
    """m98."""
    plain = llm.read(Prompt("Say:", "", (), "x", "")).own_tokens
    assert llm.read(Prompt("Say:", "", (), "<|im_end|>", "")).own_tokens > plain
    assert llm.read(Prompt("Say:", "", (), "x", "<|im_end|>")).own_tokens == plain + 1
