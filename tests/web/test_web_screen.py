"""The touchscreen's panel: dark by schedule, lit for a toast or a touch."""

from __future__ import annotations

import os
from datetime import UTC, datetime, time
from pathlib import Path

import pytest

from junod.clock import SimulatedClock
from junod.errors import JunodError, SettingsError
from junod.sections import ScreenSettings
from junod.web.screen import Backlight, Commands, Screen, is_lit_by_schedule, panel_of
from junod.web.touches import Touches

NIGHTLY = ScreenSettings.model_validate({"off_at": "22:30", "on_at": "06:30", "wake_s": 30})


class FakePanel:
    def __init__(self) -> None:
        self.turned: list[bool] = []
        self.is_broken = False

    def turn(self, on: bool) -> None:
        if self.is_broken:
            raise JunodError("no", permanent=False)
        self.turned.append(on)


@pytest.mark.parametrize(
    ("now", "off", "on", "lit"),
    [
        ("12:00", "22:30", "06:30", True), ("22:29", "22:30", "06:30", True), ("22:30", "22:30", "06:30", False),
        ("03:00", "22:30", "06:30", False), ("06:30", "22:30", "06:30", True), ("02:00", "01:00", "05:00", False),
        ("00:30", "01:00", "05:00", True), ("03:00", "", "06:30", True), ("03:00", "03:00", "03:00", True),
    ],
)  # fmt: skip
def test_the_schedule_may_reach_over_midnight(now: str, off: str, on: str, lit: bool) -> None:
    assert is_lit_by_schedule(time.fromisoformat(now), off, on) is lit


def test_a_toast_at_night_lights_it_for_a_while() -> None:
    clock, panel = SimulatedClock(datetime(2026, 3, 24, 21, 0, tzinfo=UTC)), FakePanel()
    screen = Screen(panel, NIGHTLY, clock, UTC)
    screen.tick()
    clock.advance(2 * 3600)
    screen.tick()
    screen.wake()
    clock.advance(29)
    screen.tick()
    clock.advance(2)
    screen.tick()
    screen.tick()
    assert panel.turned == [True, False, True, False]
    screen.close()
    assert panel.turned[-1] is True


def test_a_panel_that_fails_is_switched_later() -> None:
    clock, panel = SimulatedClock(datetime(2026, 3, 24, 23, 0, tzinfo=UTC)), FakePanel()
    screen = Screen(panel, NIGHTLY, clock, UTC)
    panel.is_broken = True
    with pytest.raises(JunodError):
        screen.tick()
    panel.is_broken = False
    screen.tick()
    assert panel.turned == [False]


def test_every_backlight_is_switched(tmp_path: Path) -> None:
    file = tmp_path / "rpi_backlight" / "bl_power"
    file.parent.mkdir()
    file.write_text("0")
    panel = panel_of(ScreenSettings.model_validate({}), tmp_path)
    assert isinstance(panel, Backlight)
    panel.turn(False)
    assert file.read_text() == "4"
    panel.turn(True)
    assert file.read_text() == "0"
    file.unlink()
    file.mkdir()
    with pytest.raises(JunodError, match="backlight"):
        panel.turn(True)


def test_commands_switch_any_other_panel(tmp_path: Path) -> None:
    settings = ScreenSettings.model_validate({"on_command": f"touch {tmp_path}/on", "off_command": "false"})
    panel = panel_of(settings, tmp_path)
    assert isinstance(panel, Commands)
    panel.turn(True)
    assert (tmp_path / "on").exists()
    with pytest.raises(JunodError, match="false"):
        panel.turn(False)


def test_half_a_setting_and_no_panel_at_all_are_said(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="both"):
        panel_of(ScreenSettings.model_validate({"on_command": "true"}), tmp_path)
    with pytest.raises(SettingsError, match="no backlight"):
        panel_of(ScreenSettings.model_validate({}), tmp_path)


def test_a_touch_is_noticed_and_not_kept(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "event0")
    touches = Touches(tmp_path)
    assert touches.wait(0.0, 0.0) is False
    with open(tmp_path / "event0", "wb", buffering=0) as finger:
        finger.write(b"x" * 24)
        assert touches.wait(1.0, 1.0) is True
        assert touches.wait(0.0, 2.0) is False
    touches.wait(0.0, 3.0)
    assert touches._open == {}  # it was unplugged
    touches.close()
