"""The encoder learns, ships as a small difference, and reads back what it learned. On a tiny random MiniLM."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from junod.errors import ModelError  # noqa: E402
from junod.extract.encoder import DIFFERENCE_FILE, EncoderScorer  # noqa: E402
from junod.extract.encoder_pieces import EncoderPieces  # noqa: E402
from junod.extract.encoder_training import Example, GateEncoder, TrainingPlan, read_all, score, train  # noqa: E402
from junod.extract.evaluate import Labelled  # noqa: E402
from junod.extract.features import encoder_text  # noqa: E402
from junod.extract.held_out import HELD_OUT_FILE, Recorded, read_held_out, write_held_out  # noqa: E402
from junod.extract.probe_training import States, key_of  # noqa: E402
from junod.extract.scoring import Expectation  # noqa: E402
from junod.extract.train_gate import TrainingSet, author_folds, average, examples, run_fold, save_encoder  # noqa: E402
from junod.records import Kind, Passage  # noqa: E402

WORDS = [
    *("kitchen", "living", "room", "bedroom", "morning", "afternoon", "evening", "night", "said", "before", "|", ":"),
    *("we", "need", "oats", "tea", "goal", "shot"),
]
PLAN = TrainingPlan(epochs=12, batch=8, learning_rate=3e-3, frozen_layers=1, bare_share=0.2)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A BERT of the same make as MiniLM, small enough for a test."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    folder = tmp_path_factory.mktemp("minilm")
    (folder / "vocab.txt").write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]), "utf-8")
    transformers.BertTokenizer(str(folder / "vocab.txt")).save_pretrained(folder)
    config = transformers.BertConfig(
        vocab_size=len(WORDS) + 5,
        hidden_size=32,
        num_hidden_layers=3,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=300,
    )
    transformers.BertModel(config).save_pretrained(folder)
    return folder


def labelled(index: int, holds: bool, author: str) -> Labelled:
    said = ("we need oats", "we need tea")[index % 2] if holds else ("goal shot goal", "shot shot goal")[index % 2]
    passage = Passage(f"{author}{index}", said, datetime(2026, 3, 24, index % 24, tzinfo=UTC), "kitchen")
    return Labelled(passage, "household", (Expectation(("oats|tea",), "shopping"),) if holds else (), author=author)


def corpus() -> TrainingSet:
    own = tuple(labelled(i, i % 3 == 0, author) for author in ("ana", "ben", "cy") for i in range(24))
    extra = tuple(replace(labelled(i, False, "public"), origin="") for i in range(8))
    return TrainingSet(own, extra)


def states_of(passages: TrainingSet) -> States:
    """Random, but for a little of what is right."""
    rng = np.random.default_rng(4)
    return {key_of(one.passage): rng.normal(size=6).astype(np.float32) + bool(one.expect) for one in passages.every}


@pytest.fixture(scope="module")
def trained(base: Path) -> GateEncoder:
    return train(examples(corpus()), base, PLAN)


def test_the_encoder_learns_to_tell_the_two_apart(base: Path, trained: GateEncoder) -> None:
    own = corpus().own
    texts = [Example(encoder_text(one.passage), bool(one.expect), 1.0) for one in own]
    logits = np.array([logit for logit, _ in score(trained, read_all(trained, texts, base))])
    holds = np.array([bool(one.expect) for one in own])
    assert logits[holds].min() > logits[~holds].max()


def test_a_passage_heard_by_speech_to_text_teaches_as_its_author_does_and_is_left_out_with_them() -> None:
    heard = labelled(1, True, "ben")
    known = replace(corpus(), heard=(replace(heard, passage=replace(heard.passage, transcript="we need totes")),))
    taught = [one.passage.transcript for one, _ in known.weighted(frozenset({"ana"}))]
    assert taught.count("we need totes") == 1
    assert "we need totes" not in [one.passage.transcript for one, _ in known.weighted(frozenset({"ben"}))]


def test_training_twice_gives_the_same_encoder(base: Path) -> None:
    plan = replace(PLAN, epochs=1)
    first, second = (train(examples(corpus()), base, plan).tuned() for _ in range(2))
    assert all(torch.equal(first[name], second[name]) for name in first)


def test_the_lower_layers_stay_as_they_are(trained: GateEncoder) -> None:
    assert {name.split(".")[2] for name in trained.tuned() if name.startswith("encoder.")} == {"1", "2"}


def test_what_ships_reads_like_what_was_trained(base: Path, trained: GateEncoder, tmp_path: Path) -> None:
    path = tmp_path / DIFFERENCE_FILE
    save_encoder(trained.tuned(), base, 32, path)
    scorer = EncoderScorer(base, path)
    own = corpus().own[:12]
    texts = [Example(encoder_text(one.passage), bool(one.expect), 1.0) for one in own]
    for one, (logit, pieces) in zip(own, score(trained, read_all(trained, texts, base)), strict=True):
        assert scorer.logit(one.passage) == pytest.approx(logit, abs=0.15)
        assert [piece.score for piece in scorer.read(one.passage).pieces] == pytest.approx(pieces[:, 0], abs=0.15)


def test_a_passage_longer_than_the_encoder_reads_loses_its_head_only(
    base: Path, trained: GateEncoder, tmp_path: Path
) -> None:
    path = tmp_path / DIFFERENCE_FILE
    save_encoder(trained.tuned(), base, 8, path)
    scorer = EncoderScorer(base, path)
    moment = datetime(2026, 3, 24, 18, tzinfo=UTC)
    long, cut = (
        Passage("p", " ".join(["goal"] * words + ["we", "need", "oats"]), moment, "kitchen") for words in (900, 251)
    )
    assert scorer.logit(long) == pytest.approx(scorer.logit(cut), abs=1e-5)


def test_another_base_than_the_one_trained_on_is_refused(base: Path, trained: GateEncoder, tmp_path: Path) -> None:
    path = tmp_path / DIFFERENCE_FILE
    save_encoder(trained.tuned(), base, 8, path)
    other = tmp_path / "other"
    transformers.BertModel(transformers.BertConfig.from_pretrained(base)).save_pretrained(other)
    with pytest.raises(ModelError, match="does not hold the weights that the gate was trained on") as caught:
        EncoderScorer(other, path)
    assert "junod models pull" in caught.value.hint


def test_missing_weights_are_named(base: Path, trained: GateEncoder, tmp_path: Path) -> None:
    path = tmp_path / DIFFERENCE_FILE
    with pytest.raises(ModelError, match=r"encoder\.safetensors"):
        EncoderScorer(base, path)
    save_encoder(trained.tuned(), base, 8, path)
    with pytest.raises(ModelError, match="nowhere"):
        EncoderScorer(tmp_path / "nowhere", path)


def test_a_damaged_difference_is_named(base: Path, tmp_path: Path) -> None:
    path = tmp_path / DIFFERENCE_FILE
    path.write_bytes(b"not weights")
    with pytest.raises(ModelError, match="cannot be read") as caught:
        EncoderScorer(base, path)
    assert "Install junod again" in caught.value.hint


def test_every_author_is_held_out_once() -> None:
    folds = author_folds(corpus().own, 2)
    assert sorted(author for fold in folds for author in fold) == ["ana", "ben", "cy"]


def test_a_fold_judges_the_authors_it_left_out_and_only_those(base: Path) -> None:
    passages = corpus()
    fold = run_fold(passages, frozenset({"ben"}), base, states_of(passages), replace(PLAN, epochs=1), lambda line: None)
    assert fold.held_out.keys() == {one.passage.id for one in passages.own if one.author == "ben"}


def test_what_was_held_out_is_read_back_as_it_was(base: Path, tmp_path: Path) -> None:
    passages = corpus()
    fold = run_fold(passages, frozenset({"ben"}), base, states_of(passages), replace(PLAN, epochs=1), lambda line: None)
    write_held_out(tmp_path / HELD_OUT_FILE, fold.held_out)
    recorded = Recorded(read_held_out(tmp_path / HELD_OUT_FILE))
    own = next(one.passage for one in passages.own if one.author == "ben")
    assert recorded.logit(own) == pytest.approx(fold.held_out[own.id].judgement.encoder, abs=0.001)
    (piece,) = recorded.pieces(own)
    assert piece.text == own.transcript
    assert sum(piece.kinds.values()) == pytest.approx(1)


def test_an_encoder_learns_which_piece_holds_the_memory(base: Path, tmp_path: Path) -> None:
    own = tuple(
        replace(one, passage=replace(one.passage, transcript=f"Goal shot. {one.passage.transcript.capitalize()}."))
        for one in corpus().own
    )
    model = train(examples(TrainingSet(own)), base, PLAN)
    save_encoder(model.tuned(), base, 32, tmp_path / DIFFERENCE_FILE)
    judge = EncoderPieces(EncoderScorer(base, tmp_path / DIFFERENCE_FILE))
    chatter, need = judge.pieces(next(one.passage for one in own if one.expect))
    assert need.score > chatter.score + 1
    assert max(need.kinds, key=lambda kind: need.kinds[kind]) is Kind.SHOPPING


def test_what_ships_is_the_mean_of_the_folds(base: Path) -> None:
    passages, plan = corpus(), replace(PLAN, epochs=1)
    folds = [
        run_fold(passages, frozenset({name}), base, states_of(passages), plan, lambda line: None)
        for name in ("ana", "ben")
    ]
    mean = average(folds)
    assert torch.allclose(mean["head.weight"], (folds[0].tuned["head.weight"] + folds[1].tuned["head.weight"]) / 2)


def test_a_left_out_author_teaches_nothing() -> None:
    passages = corpus()
    passages = replace(passages, plain=(labelled(0, True, "plain"),))
    kept: list[Example] = examples(passages, frozenset({"ana", "ben"}))
    assert len(kept) == 24 + 8 + 1
    assert {example.weight for example in kept} == {3.0, 1.5, 0.5}


def test_the_shipped_corpus_is_whole() -> None:
    path = Path(__file__).parents[2] / "models" / "gate" / "corpus.jsonl.gz"
    rows = [json.loads(line) for line in gzip.decompress(path.read_bytes()).decode().splitlines()]
    assert len(rows) >= 8000
    assert len({row["id"] for row in rows}) == len(rows)
    assert len({row["author"] for row in rows}) >= 20
