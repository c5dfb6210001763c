"""The GGUF embedding path with a real embedding model: the default one, converted."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from junod.assembly.embedders import build_embedder
from junod.memory.gguf_embedder import GgufEmbedder
from junod.settings import load_settings, models_dir

SCRIPT = Path(__file__).parents[2] / "scripts" / "make_gguf_embedder.py"
TEXTS = [
    "The spare key is with Mrs. Pemberton",
    "Lucía doesn't eat mushrooms",
    "naïve café — 12.5 €",
    "unaffable twins",
]


@pytest.mark.models
def test_a_gguf_model_gives_the_vectors_of_the_model_it_was_made_from_and_cuts_them(tmp_path: Path) -> None:
    pytest.importorskip("gguf")
    folder = models_dir(load_settings()) / "all-MiniLM-L6-v2"
    path = tmp_path / "minilm.gguf"
    subprocess.run([sys.executable, SCRIPT, folder, path], check=True, timeout=120)
    original = build_embedder(load_settings()).embed(TEXTS)
    whole = GgufEmbedder(path, dims=1024, threads=1)
    assert (whole.name, whole.dims) == ("minilm", 384)
    found = whole.embed(TEXTS)
    assert (found * original).sum(axis=1) == pytest.approx(np.ones(len(TEXTS)), abs=1e-3)
    cut = GgufEmbedder(path, dims=128, threads=1).embed(TEXTS)
    shortened = original[:, :128] / np.linalg.norm(original[:, :128], axis=1, keepdims=True)
    assert (cut * shortened).sum(axis=1) == pytest.approx(np.ones(len(TEXTS)), abs=1e-3)


@pytest.mark.models
def test_a_model_of_another_kind_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("gguf")
    (tmp_path / "config.json").write_text('{"model_type": "mpnet"}')
    done = subprocess.run(
        [sys.executable, SCRIPT, tmp_path, tmp_path / "out.gguf"], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 1
    assert "not bert" in done.stderr
