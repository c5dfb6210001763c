"""`junod microphones`: what could be listened with."""

from __future__ import annotations

from junod.cli.as_json import print_json
from junod.cli.options import JsonOption


def microphones(json: JsonOption = False) -> None:
    """List the microphones of this machine. Give part of a name as audio.device to choose one."""
    from junod.audio.microphone import list_devices

    devices = list_devices()
    if json:
        rows = [
            {"name": each.name, "channels": each.channels, "rate_hz": each.rate_hz, "is_default": each.is_default}
            for each in devices
        ]
        print_json(rows)
        return
    for each in devices:
        print(f"{'*' if each.is_default else ' '} {each.name} ({each.channels} channels, {each.rate_hz} Hz)")
    if not devices:
        print("There is none.")
