"""What the pipeline knows of a speech-to-text engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from junod.records import Transcription


class Transcriber(Protocol):
    """Turns one segment into text. Keeps nothing from one call to the next."""

    @property
    def name(self) -> str:
        """Which model this is, for logs and `junod status`."""
        ...

    def transcribe(self, samples: NDArray[np.float32]) -> Transcription:
        """The words of one segment, unguarded.

        Args:
            samples: shape (n,), mono, 16 kHz, range -1 to 1.

        Raises:
            TranscriptionError: the engine failed, or the segment is not what it takes. Silence is no error: its
                transcription has an empty text.
        """
        ...
