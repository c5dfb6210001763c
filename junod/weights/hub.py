"""A file from a model hub over HTTP, resumed where it stopped. Used by `junod models pull` only."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import httpx

from junod.errors import ModelError
from junod.weights.manifest import Source, WeightFile

_TIMEOUT = httpx.Timeout(30.0, connect=5.0)


class HubUnreachable(ModelError):
    """No answer from the hub at all: asking it for the next model is pointless."""


def fetch(hub: str, source: Source, file: WeightFile, part: Path, advance: Callable[[int], None]) -> None:
    """Complete `part` from `{hub}/{repo}/resolve/{revision}/{path}`.

    Args:
        part: bytes already there are kept and the rest is asked for with a Range header.
        advance: told the size of `part` as it grows.

    Raises:
        HubUnreachable: no connection.
        ModelError: the hub refused, answered with another length, or the line broke; `part` keeps what came.
    """
    url = f"{hub.rstrip('/')}/{source.repo}/resolve/{source.revision}/{file.path}"
    have = part.stat().st_size if part.exists() else 0
    if have >= file.size:
        part.unlink(missing_ok=True)
        have = 0
    headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={have}-"} if have else {})
    try:
        with (
            httpx.Client(timeout=_TIMEOUT, follow_redirects=True) as client,
            client.stream("GET", url, headers=headers) as answer,
        ):
            _receive(answer, url, file, part, have, advance)
    except (httpx.ConnectError, httpx.ConnectTimeout, httpx.UnsupportedProtocol, httpx.InvalidURL) as error:
        raise HubUnreachable(f"{hub} cannot be reached ({_reason(error)}).", permanent=False) from error
    except httpx.HTTPError as error:
        raise ModelError(f"{url}: the download broke off ({_reason(error)}).", permanent=False) from error


def _receive(
    answer: httpx.Response, url: str, file: WeightFile, part: Path, have: int, advance: Callable[[int], None]
) -> None:
    if answer.status_code not in (200, 206):
        raise ModelError(f"{url} answered {answer.status_code}.", permanent=answer.status_code < 500)
    resumed = answer.status_code == 206 and answer.headers.get("content-range", "").startswith(f"bytes {have}-")
    if answer.status_code == 206 and not resumed:
        raise ModelError(f"{url} sent another range than it was asked for.", permanent=False)
    done = have if resumed else 0
    with part.open("ab" if resumed else "wb") as stream:
        for block in answer.iter_raw():
            done += len(block)
            if done > file.size:
                raise ModelError(f"{url} sends more than the {file.size} bytes of the manifest.")
            stream.write(block)
            advance(done)
    if done < file.size:
        raise ModelError(f"{url} ended after {done} of {file.size} bytes.", permanent=False)


def _reason(error: Exception) -> str:
    return str(error) or type(error).__name__
