"""Who comes in, and who does not."""

import pytest

from hypertorus.explorer.guard import HEADERS, Door
from tests.explorer.conftest import DOOR, HOME

ADDRESSES = ["/", "/static/main.js", "/api/about", "/levels/item/0", "/sound/item/0"]


@pytest.mark.parametrize("address", ADDRESSES)
def test_nothing_is_shown_without_the_token(stranger, address):
    refused = stranger.get(address)
    assert refused.status_code == 403
    assert "token" in refused.text
    assert stranger.get(address, params={"token": "abcdefgh12345679"}).status_code == 403
    stranger.cookies.set(DOOR.cookie, "wrong")
    assert stranger.get(address).status_code == 403


@pytest.mark.parametrize("address", ADDRESSES)
def test_the_token_is_brought_once_and_kept_in_a_cookie_that_no_script_reads(stranger, address):
    page = stranger.get("/", params={"token": DOOR.token})
    cookie = page.headers["set-cookie"]
    assert cookie.startswith(f"{DOOR.cookie}={DOOR.token}; ")
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= set(cookie.split("; "))
    assert stranger.get(address).status_code == 200


def test_a_token_brings_in_to_the_page_alone(stranger):
    assert stranger.get("/api/about", params={"token": DOOR.token}).status_code == 403


@pytest.mark.parametrize(
    "host", ["evil.example:8000", "127.0.0.1:8001", "127.0.0.1", "127.0.0.1.evil.example:8000", ""]
)
def test_a_foreign_name_for_this_computer_is_refused(client, host):
    assert client.get("/api/about", headers={"Host": host}).status_code == 403


@pytest.mark.parametrize("host", ["localhost:8000", "127.0.0.1:8000", "[::1]:8000"])
def test_names_of_this_computer_are_known(client, host):
    answer = client.get("/api/about", headers={"Host": host, "Origin": f"http://{host}"})
    assert answer.status_code == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1:8000", "http://127.0.0.1:8001"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_another_page_is_refused(client, origin, method):
    refused = client.request(method, "/api/browse", headers={"Origin": origin}, json={})
    assert refused.status_code == 403


def test_a_post_must_say_where_it_comes_from(client):
    del client.headers["Origin"]
    assert client.post("/api/browse", json={}).status_code == 403
    assert client.get("/api/about").status_code == 200


@pytest.mark.parametrize("address", [*ADDRESSES, "/nothing", "/static/nothing.js"])
@pytest.mark.parametrize("known", [True, False])
def test_every_answer_forbids_the_rest(stranger, address, known):
    if known:
        stranger.get("/", params={"token": DOOR.token})
    headers = stranger.get(address).headers
    assert {name: headers[name] for name in HEADERS} == HEADERS
    policy = dict(part.split(" ", 1) for part in headers["Content-Security-Policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert "unsafe" not in headers["Content-Security-Policy"]


def test_no_page_of_ours_has_anything_inline_or_from_outside(client):
    page = client.get("/").text
    assert "style=" not in page
    assert " on" not in page.replace("one", "").replace("only", "").replace(" on ", "")
    assert page.count("<script") == page.count('<script type="module" src="/static/') == 1
    assert "http" not in page


def test_without_a_host_the_door_is_on_this_computer():
    door = Door.of(None, 8000, None)
    assert door.address.startswith("http://127.0.0.1:8000/?token=")
    assert len(door.token) == 32
    assert door.token != Door.of(None, 8000, None).token


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.7", "field-laptop", "::"])
def test_others_are_let_in_only_with_a_chosen_token(host):
    with pytest.raises(ValueError, match="--token"):
        Door.of(host, 8000, None)
    assert Door.of(host, 8000, "0123456789abcdef").token == "0123456789abcdef"


@pytest.mark.parametrize("token", ["short", "0123456789abcde ", "0123456789abcde;", "0123456789abcdeé", ""])
def test_a_poor_token_is_refused(token):
    with pytest.raises(ValueError, match="at least 16"):
        Door.of("0.0.0.0", 8000, token)


def test_a_door_to_the_network_knows_addresses_and_its_own_name_alone():
    door = Door.of("0.0.0.0", 8000, "0123456789abcdef")
    assert door.knows("192.168.1.7:8000")
    assert door.knows("localhost:8000")
    assert not door.knows("evil.example:8000")
    named = Door.of("field-laptop", 8000, "0123456789abcdef")
    assert named.knows("Field-Laptop:8000")


def test_cookies_that_are_no_cookies_are_refused(stranger):
    assert stranger.get("/api/about", headers={"Cookie": "\x01=;;;=,"}).status_code == 403


def test_the_home_of_these_tests_is_the_door():
    assert DOOR.address.startswith(HOME)
