"""Who is let in, under which name, from which page, and how much."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from web.web_fakes import Site, site

from junod.memory.paired import PairedDevices
from junod.web.access import CODE_LIFE, MAX_TRIES

PHONE = "http://192.168.1.20:8765"


@pytest.fixture
def house(tmp_path: Path) -> Iterator[Site]:
    with site(tmp_path) as made:
        yield made


def paired(house: Site, name: str = "Anna's phone") -> str:
    """The token of a device that was let in."""
    code = house.post("/api/lan", {"on": True})["code"]
    token: str = house.post("/api/pair", {"code": code, "name": name}, source="lan", base=PHONE)["token"]
    return token


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8765", "192.168.1.20", "", "127.0.0.1.evil.example"])
def test_a_foreign_name_that_leads_here_is_refused(house: Site, host: str) -> None:
    """DNS rebinding."""
    assert house.refused("GET", "/api/home", 403, headers={"Host": host})["error"] == "not-allowed"
    house.refused("GET", "/health", 403, headers={"Host": host})


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:8765", "localhost:8765", "LOCALHOST", "[::1]:8765", "[::1]"])
def test_our_own_names_are_let_in(house: Site, host: str) -> None:
    house.get("/api/ear", headers={"Host": host})


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:9999"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"X-Junod": ""},
    ],
)
def test_a_change_asked_for_by_another_page_is_refused(house: Site, headers: dict[str, str]) -> None:
    house.refused("POST", "/api/ear/mute", 403, headers=headers)
    assert not house.ear.muted


def test_a_change_from_our_own_page_is_made(house: Site) -> None:
    house.post("/api/ear/mute", headers={"Origin": "http://127.0.0.1", "Sec-Fetch-Site": "same-origin"})
    assert house.ear.muted


def test_a_body_beyond_the_limit_is_refused_before_it_is_read(house: Site) -> None:
    house.refused("POST", "/api/memories", 413, json={"text": "x" * 70_000})


def test_a_body_of_unknown_length_is_cut_off(house: Site) -> None:
    async def endless() -> Any:
        for _ in range(100):
            yield b"x" * 4096

    headers = {"Content-Type": "application/json"}
    house.refused("POST", "/api/memories", 413, content=endless(), headers=headers)


@pytest.mark.parametrize("body", [b"{", b"\xff\xfe", b"[" * 5000, b'{"text": NaN}', b""])
def test_a_body_that_is_no_json_is_refused(house: Site, body: bytes) -> None:
    response = house.ask("POST", "/api/memories", content=body, headers={"Content-Type": "application/json"})
    assert response.status_code in (400, 422)
    assert response.json()["hint"]


def test_every_answer_forbids_inline_script_and_frames(house: Site) -> None:
    for path in ("/api/home", "/api/nothing", "/health", "/"):
        headers = house.ask("GET", path).headers
        assert "unsafe" not in headers["content-security-policy"]
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
    assert house.ask("GET", "/api/home").headers["cache-control"] == "no-store"


def test_an_error_inside_is_json_and_neither_it_nor_the_log_quotes(
    house: Site, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("Anna said the alarm code")

    monkeypatch.setattr(house.store, "list", broken)
    with caplog.at_level(logging.DEBUG):
        told = house.refused("GET", "/api/home", 500)
    assert told["error"] == "internal"
    assert "Anna" not in caplog.text + str(told)
    assert "RuntimeError" in caplog.text


@pytest.mark.parametrize(
    "path", ["/api/home", "/api/memories", "/api/events", "/", "/api/devices", "/api/export.json", "/health"]
)
def test_from_the_network_nothing_is_seen_without_a_token(house: Site, path: str) -> None:
    house.post("/api/lan", {"on": True})
    assert house.refused("GET", path, 401, source="lan", base=PHONE)["error"] == "not-paired"
    house.refused("GET", path, 401, source="lan", base=PHONE, headers=bearer("a" * 12 + ".wrong"))


def test_a_paired_phone_sees_and_changes_memories(house: Site) -> None:
    token = paired(house)
    said = house.say("Call the plumber")
    phone: dict[str, Any] = {"source": "lan", "base": PHONE, "headers": bearer(token)}
    assert house.get("/api/memories", **phone)["memories"][0]["id"] == said.id
    house.post(f"/api/memories/{said.id}/done", **phone)
    assert house.get("/api/home", source="lan", base=PHONE, headers={"Cookie": f"junod={token}"})


def test_the_token_is_kept_as_a_hash_alone(house: Site) -> None:
    token = paired(house)
    secret = token.split(".")[1].encode()
    house.store.close()
    assert not any(secret in file.read_bytes() for file in house.store.path.parent.iterdir() if file.is_file())


def test_a_revoked_phone_is_out_at_once(house: Site) -> None:
    token = paired(house)
    (device,) = house.get("/api/devices")["devices"]
    assert (device["name"], device["scope"]) == ("Anna's phone", "device")
    assert house.ask("DELETE", f"/api/devices/{device['id']}").status_code == 200
    house.refused("GET", "/api/home", 401, source="lan", base=PHONE, headers=bearer(token))
    house.refused("DELETE", f"/api/devices/{device['id']}", 404)


@pytest.mark.parametrize("token", ["", ".", "x", "x.y", "\u00e9.\u00e9", "a" * 5000, "' OR 1=1 --.x"])
def test_any_other_token_is_unknown(house: Site, token: str) -> None:
    paired(house)
    assert PairedDevices(house.store.sessions).known(token) is None


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/api/lan", {"on": False}),
        ("POST", "/api/setup", {"room": "bedroom"}),
        ("POST", "/api/offer", None),
        ("POST", "/api/feeds", {}),
        ("DELETE", "/api/devices/abc", None),
    ],
)
def test_some_things_only_the_device_itself_may_do(house: Site, method: str, path: str, body: object) -> None:
    token = paired(house)
    told = house.refused(method, path, 403, json=body, source="lan", base=PHONE, headers=bearer(token))
    assert "device itself" in told["message"]


def test_a_pairing_code_lets_one_device_in(house: Site) -> None:
    code = house.post("/api/lan", {"on": True})["code"]
    assert len(code) >= 6
    house.post("/api/pair", {"code": f" {code[:4]} {code[4:]}"}, source="lan", base=PHONE)
    house.refused("POST", "/api/pair", 401, json={"code": code}, source="lan", base=PHONE)
    assert len(house.get("/api/devices")["devices"]) == 1


def test_a_pairing_code_gets_old(house: Site) -> None:
    code = house.post("/api/lan", {"on": True})["code"]
    house.clock.advance(CODE_LIFE.total_seconds())
    house.refused("POST", "/api/pair", 401, json={"code": code}, source="lan", base=PHONE)


def test_a_few_wrong_codes_make_the_right_one_void(house: Site) -> None:
    code = house.post("/api/lan", {"on": True})["code"]
    wrong = f"{(int(code) + 1) % 10**8:08}"
    for _ in range(MAX_TRIES):
        house.refused("POST", "/api/pair", 401, json={"code": wrong}, source="lan", base=PHONE)
    assert house.refused("POST", "/api/pair", 429, json={"code": code}, source="lan", base=PHONE)["hint"]
    code = house.post("/api/offer")["code"]
    house.post("/api/pair", {"code": code}, source="lan", base=PHONE)


@pytest.mark.parametrize("code", ["", " ", "0", "x" * 33, "½" * 8, "\u0660" * 8])
def test_no_code_is_good_while_none_is_offered(house: Site, code: str) -> None:
    assert house.ask("POST", "/api/pair", json={"code": code}).status_code in (401, 422)


def test_the_cookie_is_out_of_reach_of_scripts_and_other_pages(house: Site) -> None:
    code = house.post("/api/lan", {"on": True})["code"]
    cookie = house.ask("POST", "/api/pair", json={"code": code}, source="lan", base=PHONE).headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie


def test_closing_the_network_door_withdraws_the_code(house: Site) -> None:
    code = house.post("/api/lan", {"on": True})["code"]
    assert house.post("/api/lan", {"on": False})["url"] == ""
    house.refused("POST", "/api/pair", 401, json={"code": code})


def test_the_qr_code_is_an_image_without_script_or_style(house: Site) -> None:
    svg = house.post("/api/lan", {"on": True})["qr_svg"]
    assert svg.startswith("<svg")
    assert "<script" not in svg
    assert "style=" not in svg


def test_with_require_token_loopback_needs_one_too_and_the_socket_does_not(tmp_path: Path) -> None:
    with site(tmp_path, require_token=True) as house:
        house.refused("GET", "/api/home", 401)
        code = house.post("/api/offer", source="unix")["code"]
        token = house.post("/api/pair", {"code": code})["token"]
        house.get("/api/home", headers=bearer(token))
        assert house.ask("GET", "/health").status_code == 200


def test_the_time_a_device_was_seen_is_noted_now_and_then(house: Site) -> None:
    token = paired(house)
    phone: dict[str, Any] = {"source": "lan", "base": PHONE, "headers": bearer(token)}
    house.get("/api/ear", **phone)
    first = house.get("/api/devices")["devices"][0]["last_seen_at"]
    house.clock.advance(timedelta(minutes=1).total_seconds())
    house.get("/api/ear", **phone)
    assert house.get("/api/devices")["devices"][0]["last_seen_at"] == first
    house.clock.advance(timedelta(minutes=10).total_seconds())
    house.get("/api/ear", **phone)
    assert house.get("/api/devices")["devices"][0]["last_seen_at"] > first


def test_the_same_check_of_hosts_holds_on_the_network(house: Site) -> None:
    token = paired(house)
    house.refused("GET", "/api/home", 403, source="lan", base="http://evil.example", headers=bearer(token))
