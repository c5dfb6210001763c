"""Cuts the lower layers out of a GGUF language model: what a judge needs that reads and does not write.

The states in the middle of a language model tell more of what a text is about than those at its end, which are bent on
the next word (Skean et al., "Layer by Layer: Uncovering Hidden Representations in Language Models", 2025). What is kept
is the embeddings, the first layers and the last norm. llama.cpp always computes the scores of all words, so words
that nobody speaks (code, other alphabets) are taken out of the vocabulary; a text that has them is spelled in bytes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from junod.errors import ModelError

_SPOKEN = re.compile(r"Ġ?(?:[a-z]+|[A-Z][a-z]*|[A-Z]{2,3}|'[a-z]*|[0-9]|[ -~])|ĠĠ|Ċ")
"""Words as a byte-level vocabulary writes them: Ġ is a space before, Ċ a line's end."""
_TOKENS, _TYPES, _MERGES = "tokenizer.ggml.tokens", "tokenizer.ggml.token_type", "tokenizer.ggml.merges"
_EMBEDDINGS, _OUTPUT = "token_embd.weight", "output.weight"


def spoken_words(tokens: Sequence[str], merges: Sequence[str]) -> tuple[list[int], list[str]]:
    """Which tokens of a byte-pair vocabulary are kept, by place, and which of its merges.

    Single bytes all stay, so nothing becomes unsayable; a merge stays where both of its halves and its result do.
    """
    kept = {token for token in tokens if len(token) == 1}
    held = []
    for merge in merges:
        first, _, second = merge.partition(" ")
        if first in kept and second in kept and _SPOKEN.fullmatch(first + second):
            kept.add(first + second)
            held.append(merge)
    return [place for place, token in enumerate(tokens) if token in kept], held


def cut_lower_layers(source: Path, out: Path, layers: int) -> None:
    """Write the first `layers` layers of `source` to `out` as a model of its own.

    The same source gives the same bytes.

    Raises:
        ModelError: the source cannot be read, or is of a kind that has no such layers.
        OSError: `out` cannot be written.
    """
    import numpy as np
    from gguf import GGUFReader, GGUFWriter

    try:
        reader = GGUFReader(source)
        values = {name: field.contents() for name, field in reader.fields.items() if not name.startswith("GGUF.")}
        kind = values.pop("general.architecture")
        places, merges = spoken_words(values[_TOKENS], values[_MERGES])
        deepest = values[f"{kind}.block_count"]
    except (ValueError, KeyError, OSError) as error:
        raise ModelError(
            f"{source} is no language model that can be cut ({error!r}).", hint="Pull it again."
        ) from error
    if deepest < layers:
        raise ModelError(f"{source} has {deepest} layers, not {layers}.", hint="Correct the manifest.")
    changed = {
        f"{kind}.block_count": layers,
        _TOKENS: [values[_TOKENS][place] for place in places],
        _TYPES: [values[_TYPES][place] for place in places],
        _MERGES: merges,
    }
    writer = GGUFWriter(out, kind)
    _add_values(writer, reader, {name: changed.get(name, value) for name, value in values.items()})
    for tensor in reader.tensors:
        if _is_kept(tensor.name, layers):
            data = np.ascontiguousarray(tensor.data[places]) if tensor.name == _EMBEDDINGS else tensor.data
            writer.add_tensor(tensor.name, data, raw_dtype=tensor.tensor_type)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _add_values(writer: Any, reader: Any, values: dict[str, Any]) -> None:
    from gguf import GGUFValueType

    for name, value in values.items():
        if name.endswith("chat_template"):
            continue
        kinds = reader.fields[name].types
        # the special tokens are gone, and a model that only reads has no use for them
        told = 0 if name.endswith("_token_id") else value
        writer.add_key_value(name, told, kinds[0], sub_type=kinds[-1] if kinds[0] == GGUFValueType.ARRAY else None)


def _is_kept(name: str, layers: int) -> bool:
    """Without scores of its own for the words the model uses the embeddings once more."""
    first, _, rest = name.partition(".")
    return name != _OUTPUT and (first != "blk" or int(rest.partition(".")[0]) < layers)
