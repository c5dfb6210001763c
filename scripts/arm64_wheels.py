"""Which wheel each pinned package has for 64-bit ARM, and how its native libraries are aligned.

    python scripts/arm64_wheels.py FOLDER

Downloads them into FOLDER and prints a table in markdown. A library whose segments are aligned to less than 16 KiB does
not load on a kernel with 16 KiB pages (the Raspberry Pi 5's default).
"""

from __future__ import annotations

import struct
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
PLATFORMS = ("manylinux_2_36_aarch64", "manylinux_2_34_aarch64", "manylinux_2_31_aarch64", "manylinux_2_28_aarch64",
             "manylinux_2_27_aarch64", "manylinux_2_26_aarch64", "manylinux_2_24_aarch64", "manylinux_2_17_aarch64",
             "manylinux2014_aarch64", "linux_aarch64")  # fmt: skip
PAGE_16K = 16 * 1024
BUILT_HERE = {
    "llama-cpp-python": "built by the scripts",
    "pysqlite3": "not needed with Debian's Python",
    "sdnotify": "one Python file, packed by pip",
}
_LOAD = 1


def pins() -> Iterator[tuple[str, str]]:
    for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            name, _, version = line.partition("==")
            yield name, version


def download(name: str, version: str, folder: Path) -> Path | None:
    """The wheel that pip chooses for Python 3.11 there; None where there is none."""
    platforms = [word for platform in PLATFORMS for word in ("--platform", platform)]
    target = folder / name
    done = subprocess.run(
        [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", *platforms,
         "--python-version", "3.11", "--implementation", "cp", "--dest", str(target), f"{name}=={version}"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    return next(iter(target.glob("*.whl")), None) if done.returncode == 0 else None


def alignment(library: bytes) -> int | None:
    """The smallest alignment of an ELF library's loaded segments, in bytes; None for what is no 64-bit ARM ELF."""
    if library[:5] != b"\x7fELF\x02" or struct.unpack_from("<H", library, 18)[0] != 183:
        return None
    offset, size, count = (*struct.unpack_from("<Q", library, 32), *struct.unpack_from("<HH", library, 54))
    headers = [library[offset + size * number :][:56] for number in range(count)]
    return min(
        (struct.unpack_from("<Q", each, 48)[0] for each in headers if each[:4] == bytes([_LOAD, 0, 0, 0])), default=None
    )


def native(wheel: Path) -> dict[str, int]:
    """Each native library in a wheel with its alignment."""
    found = {}
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if name.endswith(".so") or ".so." in name:
                aligned = alignment(archive.read(name))
                found[name] = aligned if aligned is not None else 0
    return found


def row(name: str, version: str, folder: Path) -> str:
    wheel = download(name, version, folder)
    if wheel is None:
        return f"| {name} {version} | none: {BUILT_HERE.get(name, 'MISSING')} | |"
    tag = wheel.stem.split("-", 2)[2]
    libraries = native(wheel)
    odd = [library for library, aligned in libraries.items() if not aligned]
    least = min((aligned for aligned in libraries.values() if aligned), default=0)
    note = "pure Python" if not libraries else f"{len(libraries)} libraries, {least // 1024} KiB"
    if odd:
        note += f", NOT 64-bit ARM: {', '.join(odd)}"
    return f"| {name} {version} | {tag} | {note}{' TOO SMALL' if libraries and least < PAGE_16K else ''} |"


def main(folder: Path) -> None:
    print("| package | wheel | native libraries, least alignment |\n| --- | --- | --- |")
    for name, version in pins():
        print(row(name, version, folder), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
