"""Silero, the judge: speech probability of 32 ms blocks (adapter of onnxruntime).

The network is silero-vad v6 (MIT) as faster-whisper bundles it: each block of 512 samples is preceded by the last 64 of
the block before, and the LSTM state (h, c) is carried over.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from junod.errors import ModelError

BLOCK_SAMPLES = 512
_CONTEXT_SAMPLES = 64
_ASSET = Path("assets", "silero_vad_v6.onnx")


class SileroJudge:
    """Streams; takes samples in any amount and re-blocks them.

    Raises:
        ModelError: the network is missing or cannot be loaded.
    """

    def __init__(self) -> None:
        self._session = _session(_asset())
        self._h = self._c = np.zeros((1, 1, 128), np.float32)
        self._context: NDArray[np.float32] = np.zeros(_CONTEXT_SAMPLES, np.float32)
        self._pending: NDArray[np.float32] = np.zeros(0, np.float32)

    def push(self, samples: NDArray[np.float32]) -> list[float]:
        """Speech probability, 0 to 1, of each block that `samples`, shape (n,), complete."""
        joined = np.concatenate([self._pending, samples])
        whole = len(joined) // BLOCK_SAMPLES
        self._pending = joined[whole * BLOCK_SAMPLES :]
        return [self._judge(joined[i * BLOCK_SAMPLES : (i + 1) * BLOCK_SAMPLES]) for i in range(whole)]

    def reset(self) -> None:
        """As if nothing had been heard. Due after each segment: over minutes the state drifts and deafens it."""
        self._h = self._c = np.zeros((1, 1, 128), np.float32)
        self._context = np.zeros(_CONTEXT_SAMPLES, np.float32)
        self._pending = np.zeros(0, np.float32)

    def _judge(self, block: NDArray[np.float32]) -> float:
        window = np.concatenate([self._context, block])[np.newaxis]
        probability, self._h, self._c = self._session.run(None, {"input": window, "h": self._h, "c": self._c})
        self._context = block[-_CONTEXT_SAMPLES:]
        return float(probability.reshape(-1)[0])


def _asset() -> Path:
    # Found, not imported: importing faster_whisper would load ctranslate2 for the sake of one file.
    spec = importlib.util.find_spec("faster_whisper")
    path = Path(spec.origin or "").parent / _ASSET if spec else _ASSET
    if not path.is_file():
        raise ModelError(
            f"The voice activity network {_ASSET.name} is missing.",
            hint="Reinstall it: pip install faster-whisper==1.2.1",
        )
    return path


def _session(path: Path) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.add_session_config_entry("session.inter_op.allow_spinning", "0")
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime raises its own types, one for each cause, from a private module
        raise ModelError(
            f"The voice activity network {path.name} cannot be loaded: {error}.",
            hint="Reinstall it: pip install --force-reinstall faster-whisper==1.2.1",
        ) from error
