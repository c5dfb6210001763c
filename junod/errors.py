"""The error tree. Each error says what is wrong, what to do next, and whether trying again can help.

JunodError
├── UsageError            wrong arguments (exit 2)
├── SettingsError         a key, its file and the allowed range (exit 2)
├── AudioError            unreadable file, no such device, lost microphone
├── ModelError            missing, cut short or corrupted weights, failed download
├── TranscriptionError    the speech-to-text engine failed
├── ExtractionError       the LLM failed, timed out or answered outside its grammar
├── CalibrationError      no calibration for this model, or too little data for one
└── StoreError            database locked, full, read-only, damaged, too new
    ├── DamagedError      the database is no database any more: a backup is the way back
    ├── NotFoundError     no such memory or passage
    └── ConflictError     somebody else changed it first; look again
"""

from __future__ import annotations


class JunodError(Exception):
    """Base of all errors a user may see.

    Args:
        message: what is wrong, for a person.
        hint: what to do next; '' where nothing can be done.
        permanent: False where the same call may succeed later (worth a retry).
    """

    code = "error"
    exit_code = 1

    def __init__(self, message: str, *, hint: str = "", permanent: bool = True) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.permanent = permanent

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


class UsageError(JunodError):
    code = "wrong-use"
    exit_code = 2


class SettingsError(JunodError):
    code = "bad-settings"
    exit_code = 2


class AudioError(JunodError):
    code = "audio"


class ModelError(JunodError):
    code = "model"


class TranscriptionError(JunodError):
    code = "transcription"


class ExtractionError(JunodError):
    code = "extraction"


class DeadlineError(ExtractionError):
    """The language model took longer than it may."""

    code = "deadline"


class AnswerTooLongError(ExtractionError):
    """The language model did not come to an end."""

    code = "too-long"


class CalibrationError(JunodError):
    code = "calibration"


class StoreError(JunodError):
    code = "store"


class DamagedError(StoreError):
    code = "damaged"


class NotFoundError(StoreError):
    code = "not-found"


class ConflictError(StoreError):
    code = "conflict"
