"""/api/trust, /api/export, /api/forget-all: what is held, in counts; all of it in your hands; or all of it gone."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

from fastapi import APIRouter, Response

from junod.assembly.house import House
from junod.errors import StoreError, UsageError
from junod.memory.handover import contents, pages
from junod.memory.tally import Tallies
from junod.web.ear import EarControlLike
from junod.web.feed import EventFeed
from junod.web.present import Presenter
from junod.web.shapes import CountsOut, ForgetAllIn, ForgottenOut, StageOut, TrustDayOut, TrustOut

CONFIRMATION = "delete everything"
SHOWN_DAYS = 30


class PrivacyApi:
    def __init__(self, house: House, ear: EarControlLike, feed: EventFeed, *, present: Callable[[], Presenter]) -> None:
        self._store, self._clock, self._zone = house.store, house.clock, house.zone
        self._ear, self._feed, self._present = ear, feed, present
        self._tallies = Tallies(house.store.sessions)

    def router(self) -> APIRouter:
        router = APIRouter(prefix="/api", tags=["privacy"])
        router.add_api_route("/trust", self.trust, response_model=TrustOut)
        router.add_api_route("/export.json", self.export_json, response_class=Response)
        router.add_api_route("/export.zip", self.export_zip, response_class=Response)
        router.add_api_route("/forget-all", self.forget_all, methods=["POST"], response_model=ForgottenOut)
        return router

    def trust(self) -> TrustOut:
        """Counts only. `heard` of earlier days are stretches of talk, today's are utterances."""
        ear, shown = self._ear.snapshot(), self._present()
        tally = self._tallies.since(self._clock.now() - timedelta(days=SHOWN_DAYS), self._zone)
        first = self._tallies.first_day()
        return TrustOut(
            today=CountsOut(heard=ear.heard_today, kept=ear.kept_today),
            days=[TrustDayOut(date=each.day, heard=each.passages, kept=each.kept) for each in tally.days],
            stages=[StageOut(name=name, thrown_away=number) for name, number in tally.thrown_away.items()],
            database=str(self._store.path),
            size_bytes=_size_bytes(self._store.path),
            since=shown.local(first),
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
        erased = self._store.forget_spoken()
        self._feed.gone(erased.memories)
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
