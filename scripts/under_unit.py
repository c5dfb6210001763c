"""Run a command under the system-call rules of systemd/junod.service, without systemd.

    python scripts/under_unit.py .venv/bin/junod replay tests/scene/kitchen.flac ...

What SystemCallFilter, MemoryDenyWriteExecute and RestrictAddressFamilies do is done with libseccomp, as systemd does
it; the sets of calls are asked of `systemd-analyze`. Shows whether models and microphone still work under a rule.
"""

from __future__ import annotations

import ctypes
import errno
import functools
import mmap
import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

UNIT = Path(__file__).parent.parent / "systemd/junod.service"
_ALLOW = 0x7FFF0000
_NOT_EQUAL, _MASKED_EQUAL = 1, 7
_SHM_EXEC = 0o100000
_EXEC_CALLS = (("mmap", 2, mmap.PROT_WRITE | mmap.PROT_EXEC), ("mprotect", 2, mmap.PROT_EXEC),
               ("pkey_mprotect", 2, mmap.PROT_EXEC), ("shmat", 2, _SHM_EXEC))  # fmt: skip
"""Calls that would make memory executable that was written: which argument, and the bits it must not have."""


class _Compare(ctypes.Structure):
    """struct scmp_arg_cmp of seccomp.h."""

    _fields_ = (("arg", ctypes.c_uint), ("op", ctypes.c_int), ("a", ctypes.c_uint64), ("b", ctypes.c_uint64))


class Rules:
    """One seccomp filter in the making."""

    def __init__(self, default: int) -> None:
        self._lib = ctypes.CDLL("libseccomp.so.2", use_errno=True)
        self._lib.seccomp_init.restype = ctypes.c_void_p
        self._lib.seccomp_init.argtypes = [ctypes.c_uint32]
        self._context = ctypes.c_void_p(self._lib.seccomp_init(default))

    def add(self, action: int, call: str, *compare: _Compare) -> None:
        """A call that this machine does not have is left out, as systemd does."""
        number = self._lib.seccomp_syscall_resolve_name(call.encode())
        if number >= 0:
            table = (_Compare * len(compare))(*compare)
            code = self._lib.seccomp_rule_add_array(self._context, ctypes.c_uint32(action), number, len(compare), table)
            if code not in (0, -errno.EEXIST):
                raise OSError(-code, f"no rule for {call}")

    def load(self) -> None:
        code = self._lib.seccomp_load(self._context)
        if code:
            raise OSError(-code, "the filter cannot be loaded")


def refuse(number: int) -> int:
    """SCMP_ACT_ERRNO."""
    return 0x00050000 | number


def settings_of(unit: Path, key: str) -> list[str]:
    """Every value of a key of [Service], in order."""
    lines = [line.partition("=") for line in unit.read_text("utf-8").splitlines()]
    return [value for name, _, value in lines if name == key]


@functools.cache
def members(name: str) -> frozenset[str]:
    """The calls in a set such as '@system-service', sets inside it resolved."""
    if not name.startswith("@"):
        return frozenset({name})
    shown = subprocess.run(
        ["systemd-analyze", "syscall-filter", "--no-pager", name], capture_output=True, text=True, check=True
    ).stdout
    words = [line.split()[0] for line in shown.splitlines()[1:] if line.strip() and not line.strip().startswith("#")]
    return frozenset(call for word in words for call in members(word))


def allowed_calls(filters: Sequence[str]) -> frozenset[str]:
    """What the SystemCallFilter= lines leave, taken in order."""
    allowed = set(members("@default"))
    for line in filters:
        named = {call for word in line.lstrip("~").split() for call in members(word)}
        allowed = allowed - named if line.startswith("~") else allowed | named
    return frozenset(allowed | members("@default"))


def confine(unit: Path = UNIT) -> None:
    """Apply the unit's rules to this process and all it starts; there is no way back."""
    calls = allowed_calls(settings_of(unit, "SystemCallFilter"))
    families = [getattr(socket, word) for line in settings_of(unit, "RestrictAddressFamilies") for word in line.split()]
    exec_rules = Rules(_ALLOW)
    if settings_of(unit, "MemoryDenyWriteExecute") == ["yes"]:
        for call, argument, bits in _EXEC_CALLS:
            exec_rules.add(refuse(errno.EPERM), call, _Compare(argument, _MASKED_EQUAL, bits, bits))
    family_rules = Rules(_ALLOW)
    if len(families) == 1:
        family_rules.add(refuse(errno.EAFNOSUPPORT), "socket", _Compare(0, _NOT_EQUAL, int(families[0]), 0))
    call_rules = Rules(refuse(errno.EPERM))
    for name in sorted(calls | {"execve", "seccomp", "prctl"}):
        call_rules.add(_ALLOW, name)
    for rules in (exec_rules, family_rules, call_rules):
        rules.load()


def main(command: Sequence[str]) -> None:
    confine()
    os.execvp(command[0], list(command))


if __name__ == "__main__":
    main(sys.argv[1:])
