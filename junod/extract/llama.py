"""llama.cpp's models, contexts and vocabularies, for whoever of this room uses them."""

from __future__ import annotations

import ctypes
import os
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any

# llama.cpp's threads wait for each other hundreds of times a token. By default they spin, which on a machine busy with
# speech-to-text makes two threads slower than one; asleep they leave the core to whoever has work.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

import llama_cpp

from junod.errors import ModelError

CHUNK = 256
"""Tokens evaluated in one call; a deadline is looked at between calls."""
_ERROR_LEVEL = 3
_PULL = "Run `junod models pull`."
_engine_errors: deque[str] = deque(maxlen=3)


@llama_cpp.llama_log_callback  # type: ignore[untyped-decorator,unused-ignore]
def _keep_errors(level: int, text: bytes, _user_data: object) -> None:
    """llama.cpp's own log goes nowhere but into the message of the error it explains."""
    if level == _ERROR_LEVEL:
        _engine_errors.append(text.decode("utf-8", "replace").strip())


def _check_file(gguf: Path) -> None:
    if not gguf.is_file():
        raise ModelError(f"The language model {gguf} is missing.", hint=_PULL)
    try:
        with gguf.open("rb") as file:
            magic = file.read(4)
    except OSError as error:
        raise ModelError(f"{gguf} cannot be read: {error.strerror}.", hint="Check its permissions.") from error
    if magic != b"GGUF":
        raise ModelError(f"{gguf} is not a GGUF file.", hint=f"Delete it. {_PULL}")


def load(gguf: Path, context_tokens: int, threads: int, chunk: int = CHUNK) -> tuple[Any, Any]:
    """A model and a context for one sequence, made to give embeddings where asked (they are off); free both.

    Args:
        chunk: most tokens evaluated in one call.

    Raises:
        ModelError: the file is missing, cut short, or not a model llama.cpp can load; or there is no memory for it.
    """
    _check_file(gguf)
    forget_errors()
    llama_cpp.llama_log_set(_keep_errors, ctypes.c_void_p(0))
    llama_cpp.llama_backend_init()
    parameters = llama_cpp.llama_model_default_params()
    parameters.n_gpu_layers = 0
    # llama.cpp repacks the weights for the processor at hand: mapped, the file would be resident beside its copy.
    parameters.load_mode = llama_cpp.LLAMA_LOAD_MODE_NONE
    model = llama_cpp.llama_model_load_from_file(str(gguf).encode(), parameters)
    if not model:
        raise ModelError(
            f"{gguf} is cut short, damaged or of an unknown kind ({engine_reason()}).", hint=f"Delete it. {_PULL}"
        )
    context = llama_cpp.llama_init_from_model(model, _context_parameters(context_tokens, threads, chunk))
    if not context:
        llama_cpp.llama_model_free(model)
        raise ModelError(
            f"{gguf}: no memory for its context ({engine_reason()}).", hint="Lower extract.context_tokens."
        )
    llama_cpp.llama_set_embeddings(context, False)
    return model, context


def _context_parameters(context_tokens: int, threads: int, chunk: int) -> Any:
    parameters = llama_cpp.llama_context_default_params()
    parameters.n_ctx = context_tokens
    parameters.n_batch = parameters.n_ubatch = chunk
    parameters.n_threads = parameters.n_threads_batch = threads
    parameters.embeddings = True
    parameters.pooling_type = llama_cpp.LLAMA_POOLING_TYPE_NONE
    return parameters


def engine_reason() -> str:
    """What llama.cpp said of its last failure."""
    return "; ".join(_engine_errors) or "llama.cpp gave no reason"


def forget_errors() -> None:
    """Before something whose failure is to be explained."""
    _engine_errors.clear()


def tokens_of(vocab: Any, text: str, *, special: bool) -> list[int]:
    """`special` = marks of the chat's turns count as such."""
    data = text.encode()
    tokens = (llama_cpp.llama_token * (len(data) + 8))()
    count = llama_cpp.llama_tokenize(vocab, data, len(data), tokens, len(tokens), False, special)
    return list(tokens[:count])


def piece_of(vocab: Any, token: int) -> bytes:
    """The bytes a token stands for."""
    buffer = ctypes.create_string_buffer(256)
    length = llama_cpp.llama_token_to_piece(vocab, token, buffer, len(buffer), 0, False)
    return buffer.raw[: max(length, 0)]


def free(model: Any, context: Any, batch: Any) -> None:
    """Give back what `load` and `llama_batch_init` took."""
    llama_cpp.llama_batch_free(batch)
    llama_cpp.llama_free(context)
    llama_cpp.llama_model_free(model)


def fill(batch: Any, tokens: Sequence[int], first: int) -> None:
    """Make `tokens` the content of a batch, the first at place `first` of the one sequence; all are answered."""
    for place, token in enumerate(tokens):
        batch.token[place] = token
        batch.pos[place] = first + place
        batch.n_seq_id[place] = 1
        batch.seq_id[place][0] = 0
        batch.logits[place] = 1
    batch.n_tokens = len(tokens)
