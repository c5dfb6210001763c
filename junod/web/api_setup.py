"""/api/setup: the few settings a household chooses at the first start, and what it can choose from."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from zoneinfo import ZoneInfo

from fastapi import APIRouter, Request

from junod.assembly.parts import GATE_BASE, GATE_LOWER, installed_problem, whisper_name
from junod.errors import AudioError, SettingsError
from junod.records import ROOMS
from junod.settings import Settings, load_settings
from junod.web.api_access import at_the_device
from junod.web.setup_writer import RELOADED, SetupWriter
from junod.web.shapes import MicrophoneOut, MicrophonesOut, ModelOut, ModelsOut, SavedSetupOut, SetupIn, SetupOut

LISTING_S = 20.0


class SetupApi:
    """
    Args:
        settings: those in force since the start.
        reload: lets the daemon read its settings again.
    """

    def __init__(self, settings: Settings, writer: SetupWriter, reload: Callable[[], None], *, zone: ZoneInfo) -> None:
        self._settings, self._writer, self._reload, self._zone = settings, writer, reload, zone

    def router(self) -> APIRouter:
        router = APIRouter(prefix="/api/setup", tags=["setup"])
        router.add_api_route("", self.show, response_model=SetupOut)
        router.add_api_route("", self.save, methods=["POST"], response_model=SavedSetupOut)
        router.add_api_route("/microphones", self.microphones, response_model=MicrophonesOut)
        router.add_api_route("/models", self.models, response_model=ModelsOut)
        return router

    def show(self) -> SetupOut:
        now = self._written()
        return SetupOut(
            device_id=now.device.id,
            room=now.device.room,
            microphone=now.audio.device,
            timezone=now.household.timezone,
            zone=self._zone.key,
            language=now.stt.language,
            day_first=now.household.day_first,
            rooms=list(ROOMS),
            path=self._path(),
            is_first_run=not self._writer.exists,
        )

    def save(self, given: SetupIn, request: Request) -> SavedSetupOut:
        """Write what is given into the settings file, and let the daemon take up what it can at once."""
        at_the_device(request)
        changes = given.model_dump(exclude_none=True)
        path = self._writer.write(changes)
        self._reload()
        return SavedSetupOut(
            path=str(path), changed=list(changes), needs_restart=[key for key in changes if key not in RELOADED]
        )

    def microphones(self) -> MicrophonesOut:
        """What could be listened with. Asked of a process of its own: looking anew would close an open microphone."""
        command = [sys.executable, "-m", "junod", "microphones", "--json"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=LISTING_S, check=True)
            found = [MicrophoneOut(**row) for row in json.loads(done.stdout)]
        except (OSError, ValueError, TypeError, subprocess.SubprocessError) as error:
            raise AudioError("The microphones could not be listed.", hint="`junod doctor` says why.") from error
        return MicrophonesOut(microphones=found, chosen=self._written().audio.device)

    def models(self) -> ModelsOut:
        """Whether the weights are there. Looks at names and sizes, not at every byte."""
        judging = "judging what is worth keeping"
        uses: dict[str, list[str]] = {}  # one model may serve for several things
        for name, use in (
            (whisper_name(self._settings), "speech-to-text"),
            (self._settings.extract.model, judging),
            (self._settings.memory.embedding_model, "searching by meaning"),
            (GATE_BASE, judging),
            (GATE_LOWER, judging),
        ):
            uses.setdefault(name, []).append(use)
        found = []
        for name in uses:
            problem = installed_problem(self._settings, name)
            found.append(
                ModelOut(
                    name=name,
                    use=", ".join(uses[name]),
                    present=problem is None,
                    problem=problem.message if problem else "",
                    hint=problem.hint if problem else "",
                )
            )
        return ModelsOut(models=found)

    def _written(self) -> Settings:
        """What the file says now, which may wait for a restart."""
        try:
            return load_settings(self._writer.read_from())
        except SettingsError:
            return self._settings

    def _path(self) -> str:
        try:
            return str(self._writer.target())
        except SettingsError:
            return ""
