#!/usr/bin/env python3
"""An embedding model of BERT's kind (all-MiniLM-L6-v2) as one GGUF file, for `memory.embedding_model`.

    make_gguf_embedder.py FOLDER OUT.gguf

FOLDER is a sentence-transformers model with mean pooling. The package gguf knows how llama.cpp names its tensors.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
from gguf import LlamaFileType, PoolingType, TokenType
from gguf.constants import MODEL_ARCH
from gguf.gguf_writer import GGUFWriter
from gguf.tensor_mapping import get_tensor_name_map
from safetensors.numpy import load_file

_SPACE = "\u2581"
"""llama.cpp's mark of a word's beginning; BERT marks what does not begin one."""


def add_shape(writer: GGUFWriter, config: dict[str, Any], name: str) -> None:
    writer.add_name(name)
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_head_count(config["num_attention_heads"])
    writer.add_layer_norm_eps(config["layer_norm_eps"])
    writer.add_causal_attention(False)
    writer.add_pooling_type(PoolingType.MEAN)
    writer.add_file_type(LlamaFileType.MOSTLY_F16)
    writer.add_token_type_count(config["type_vocab_size"])


def add_tokenizer(writer: GGUFWriter, words: list[str]) -> None:
    special = [word.startswith("[") and word.endswith("]") for word in words]
    shown = [
        word if is_special else word[2:] if word.startswith("##") else _SPACE + word
        for word, is_special in zip(words, special, strict=True)
    ]
    writer.add_tokenizer_model("bert")
    writer.add_token_list(shown)
    writer.add_token_types([TokenType.CONTROL if each else TokenType.NORMAL for each in special])
    writer.add_unk_token_id(words.index("[UNK]"))
    writer.add_sep_token_id(words.index("[SEP]"))
    writer.add_pad_token_id(words.index("[PAD]"))
    writer.add_mask_token_id(words.index("[MASK]"))
    writer.add_bos_token_id(words.index("[CLS]"))
    writer.add_eos_token_id(words.index("[SEP]"))


def add_tensors(writer: GGUFWriter, path: Path, blocks: int) -> None:
    names = get_tensor_name_map(MODEL_ARCH.BERT, blocks)
    for name, values in load_file(path).items():
        if name.endswith("position_ids") or name.startswith("pooler."):
            continue
        known = names.get_name(name, try_suffixes=(".weight", ".bias"))
        if known is None:
            raise SystemExit(f"llama.cpp has no place for {name}: this is no model of BERT's kind.")
        is_matrix = values.ndim == 2 and "position_embd" not in known and "token_types" not in known
        writer.add_tensor(known, values.astype(np.float16 if is_matrix else np.float32))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    options = parser.parse_args()
    config = json.loads((options.folder / "config.json").read_text("utf-8"))
    if config["model_type"] != "bert":
        raise SystemExit(f"{options.folder} is of the kind {config['model_type']}, not bert.")
    writer = GGUFWriter(options.out, "bert")
    add_shape(writer, config, options.folder.name)
    add_tokenizer(writer, (options.folder / "vocab.txt").read_text("utf-8").splitlines())
    add_tensors(writer, options.folder / "model.safetensors", config["num_hidden_layers"])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    main()
