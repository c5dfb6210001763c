"""A process that holds speech keeps it to itself: no core, no look inside, no value in a crash report."""

from __future__ import annotations

import ctypes
import resource
import sys
import threading
import traceback
from types import TracebackType

_PR_SET_DUMPABLE = 4


def seclude() -> None:
    """From now on this process leaves no core, and no other program of its user may look into its memory.

    The limit alone would not do: a core handler behind a pipe is not asked for it (core(5)).
    """
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


def report_without_values() -> None:
    """A crash shows where, never what: the message of a foreign exception may quote what was said."""
    sys.excepthook = _report
    threading.excepthook = lambda args: _report(args.exc_type, args.exc_value, args.exc_traceback)
    sys.unraisablehook = lambda args: _report(args.exc_type, args.exc_value, args.exc_traceback)


def _report(kind: type[BaseException], error: BaseException | None, trace: TracebackType | None) -> None:
    if issubclass(kind, KeyboardInterrupt):
        print("junod: interrupted", file=sys.stderr)
        return
    print(
        f"junod: an error of its own, {kind.__name__}. Please report these lines; they hold no speech:", file=sys.stderr
    )
    print("".join(traceback.format_tb(trace)), file=sys.stderr, end="")
