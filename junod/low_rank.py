"""A trained difference to public weights, each matrix as two thin ones. Needs torch.

Low-rank adaptation: Hu et al., "LoRA", 2021; here cut out of a full difference after training, by its singular values.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import nn

from junod.errors import ModelError

DOWN, UP = ".down", ".up"
"""A matrix's difference is stored as two thin ones, up @ down; anything else whole, under its own name."""


def sha256_of(path: Path) -> str:
    """Raises: ModelError: the file cannot be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ModelError(
            f"The weights {path} cannot be read: {error.strerror}.", hint="Run `junod models pull`."
        ) from error


def read_difference(path: Path) -> tuple[dict[str, torch.Tensor], dict[str, str]]:
    """Tensors and metadata of a trained difference.

    Raises:
        ModelError: the file is missing or damaged.
    """
    try:
        with safe_open(path, framework="pt") as file:
            return {name: file.get_tensor(name) for name in file.keys()}, file.metadata() or {}  # noqa: SIM118
    except (OSError, SafetensorError) as error:
        raise ModelError(f"The trained weights {path} cannot be read: {error}.", hint="Install junod again.") from error


def save_difference(tensors: dict[str, torch.Tensor], base: Path, rank: int, path: Path) -> None:
    """Write a trained difference, and which weights in the folder `base` it belongs to."""
    about = {"base_sha256": sha256_of(base / "model.safetensors"), "rank": str(rank)}
    path.parent.mkdir(parents=True, exist_ok=True)
    save_file(tensors, path, metadata=about)


def add_difference(model: nn.Module, tensors: Mapping[str, torch.Tensor]) -> None:
    """Add a trained difference to the public weights, in place."""
    parameters = dict(model.named_parameters())
    with torch.no_grad():
        for name, value in tensors.items():
            if name.endswith(DOWN):
                stem = name.removesuffix(DOWN)
                parameters[stem] += tensors[stem + UP].float() @ value.float()
            elif not name.endswith(UP):
                parameters[name] += value.float()


def thinned(name: str, change: torch.Tensor, rank: int) -> dict[str, torch.Tensor]:
    """What is stored of the difference of one parameter, in float16: of a matrix its best cut to `rank`."""
    if change.dim() < 2:
        return {name: change.half()}
    left, sizes, right = torch.linalg.svd(change, full_matrices=False)
    root = sizes[:rank].sqrt()
    return {
        name + UP: (left[:, :rank] * root).half().contiguous(),
        name + DOWN: (root[:, None] * right[:rank]).half().contiguous(),
    }
