"""/api/trust, /api/export, /api/forget-all: what is held, in counts; all of it in your hands; or all of it gone."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from fastapi import APIRouter, Response

from junod.assembly.house import House
from junod.errors import StoreError, UsageError
from junod.memory.handover import contents, pages
from junod.memory.store import EVERYTHING
from junod.web.ear import EarControlLike
from junod.web.present import Presenter
from junod.web.shapes import CountsOut, ForgetAllIn, ForgottenOut, StageOut, TrustDayOut, TrustOut

CONFIRMATION = "delete everything"


class PrivacyApi:
    def __init__(self, house: House, ear: EarControlLike, *, present: Callable[[], Presenter]) -> None:
        self._store, self._clock = house.store, house.clock
        self._ear, self._present = ear, present

    def router(self) -> APIRouter:
        router = APIRouter(prefix="/api", tags=["privacy"])
        router.add_api_route("/trust", self.trust, response_model=TrustOut)
        router.add_api_route("/export.json", self.export_json, response_class=Response)
        router.add_api_route("/export.zip", self.export_zip, response_class=Response)
        router.add_api_route("/forget-all", self.forget_all, methods=["POST"], response_model=ForgottenOut)
        return router

    def trust(self) -> TrustOut:
        """Counts only: utterances heard, memories kept of them, and what each stage threw away in those days."""
        counted, shown, ear = self._ear.trust(), self._present(), self._ear.snapshot()
        oldest = self._store.list(EVERYTHING, limit=1, oldest_first=True)
        return TrustOut(
            today=CountsOut(heard=ear.heard_today, kept=ear.kept_today),
            days=[TrustDayOut(date=each.day, heard=each.heard, kept=each.kept) for each in counted.days],
            stages=[StageOut(name=name, thrown_away=number) for name, number in counted.thrown_away.items()],
            database=str(self._store.path),
            size_bytes=_size_bytes(self._store.path),
            since=shown.local(oldest[0].spoken_at) if oldest else None,
        )

    def export_json(self) -> Response:
        text = json.dumps(contents(self._store, self._clock.now()), indent=2, ensure_ascii=False)
        return Response(text, media_type="application/json", headers=_attachment("json", self._clock.now()))

    def export_zip(self) -> Response:
        """A folder of markdown, packed."""
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in pages(self._store):
                archive.writestr(f"junod/{name}", text)
        headers = _attachment("zip", self._clock.now())
        return Response(packed.getvalue(), media_type="application/zip", headers=headers)

    def forget_all(self, given: ForgetAllIn) -> ForgottenOut:
        """Erase everything for good; asked for in words, so that no slip of a finger does it."""
        if given.typed.casefold() != CONFIRMATION:
            raise UsageError("Nothing was erased.", hint=f"Type '{CONFIRMATION}' to erase everything for good.")
        erased = self._ear.forget_everything()
        if not self._store.finish_erasing():
            raise StoreError(
                "All is erased from the database, but another program is still reading its log.",
                hint="Close that program and ask again.",
                permanent=False,
            )
        return ForgottenOut(forgotten=list(erased.memories))


def _attachment(suffix: str, now: datetime) -> dict[str, str]:
    return {"content-disposition": f'attachment; filename="junod-{now:%Y-%m-%d}.{suffix}"'}


def _size_bytes(path: Path) -> int:
    """The database with its log."""
    files = (path, path.with_name(path.name + "-wal"))
    return sum(file.stat().st_size for file in files if file.exists())
