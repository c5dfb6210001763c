"""The word model: what it reads, what it learns, and how it is stored."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

pytest.importorskip("sklearn")

from junod.errors import ModelError
from junod.extract.ngram_training import train_ngrams
from junod.extract.ngrams import NgramModel, load_ngrams, save_ngrams, terms, windows
from junod.records import Passage


def said(text: str, context: tuple[str, ...] = ()) -> Passage:
    return Passage("p", text, datetime(2026, 3, 24, 18, tzinfo=UTC), "kitchen", context)


def trained() -> NgramModel:
    keep = [said(f"we need more {thing}, please") for thing in ("oats", "tea", "rice", "salt")]
    drop = [said(f"what a goal by the {team}!") for team in ("reds", "blues", "greens", "whites")]
    return train_ngrams(keep + drop, [True] * 4 + [False] * 4, [1.0] * 8)


def test_it_reads_words_pairs_and_the_room() -> None:
    found = terms(said("We need oats."))
    assert {"[kitchen]", "we", "oats", ".", "need oats", "we _ oats", "<we", "oats>"} <= set(found)


def test_days_and_numbers_stand_for_their_class() -> None:
    assert terms(said("Tuesday at ten, the 3rd of May")) == terms(said("Friday at 6, the fourth of May"))


def test_it_reads_the_shape_and_the_nearest_context() -> None:
    found = terms(said("really?", ("long ago", "we need oats")))
    assert {"ASKS 1", "LENGTH 0", "HOUR 6", "CONTEXT", "before oats"} <= set(found)
    assert "before ago" not in found


def test_silence_has_only_a_shape() -> None:
    assert set(terms(said(""))) == {
        "[kitchen]",
        *("LENGTH 0", "ASKS 0", "SHOUTS 0", "SENTENCES 0"),
        "HOUR 6",
        "PLACE kitchen 3",
    }


def test_it_tells_apart_what_it_learned() -> None:
    model = trained()
    assert model.logit(said("we need more bread, please")) > 0 > model.logit(said("what a goal by the browns!"))


def test_it_scores_as_the_library_that_trained_it() -> None:
    from sklearn.feature_extraction.text import TfidfVectorizer

    passages = [said("we need need tea"), said("we need a goal"), said("tea tea tea")]
    vectorizer = TfidfVectorizer(analyzer=terms, sublinear_tf=True).fit(passages)
    names = list(vectorizer.get_feature_names_out())
    weights = [float(i + 1) for i in range(len(names))]
    model = NgramModel(0.25, {n: (float(d), w) for n, d, w in zip(names, vectorizer.idf_, weights, strict=True)})
    for one in passages:
        assert model.logit(one) == pytest.approx(0.25 + float((vectorizer.transform([one]) @ weights)[0]))


def test_words_it_never_saw_leave_the_bias() -> None:
    assert NgramModel(-0.5, {}).logit(said("anything")) == -0.5


def test_a_need_buried_in_chatter_still_peaks() -> None:
    model, need, goal = trained(), "we need more bread, please.", "what a goal by the browns!"
    buried = said(" ".join([goal, goal, goal, need, need, need, goal, goal, goal]))
    assert model.peak(buried) > model.logit(buried)


def test_windows_are_runs_of_three_sentences() -> None:
    assert windows("One. Two? Three! Four") == ["One. Two? Three!", "Two? Three! Four"]
    assert windows("One. Two.") == ["One. Two."]
    assert windows("") == [""]


def test_training_twice_gives_the_same() -> None:
    assert trained() == trained()


def test_it_survives_its_file(tmp_path: Path) -> None:
    path = tmp_path / "ngrams.json.gz"
    save_ngrams(trained(), path)
    first = path.read_bytes()
    assert load_ngrams(path) == trained()
    save_ngrams(load_ngrams(path), path)
    assert path.read_bytes() == first


@pytest.mark.parametrize("content", [b"", b"plain", b"\x1f\x8b\x08\x00"])
def test_a_damaged_file_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "ngrams.json.gz"
    path.write_bytes(content)
    with pytest.raises(ModelError, match=r"ngrams\.json\.gz cannot be read"):
        load_ngrams(path)
