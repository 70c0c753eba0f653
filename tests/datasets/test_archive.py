"""Downloads, from a server on this machine."""

import hashlib
import urllib.request
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from hypertorus.datasets import archive
from hypertorus.datasets.archive import Archive, data_folder
from hypertorus.datasets.cifar import LAYOUTS
from hypertorus.datasets.fashion_mnist import FILES

CONTENT = bytes(range(256)) * 4096
MD5 = hashlib.md5(CONTENT).hexdigest()


class Handler(BaseHTTPRequestHandler):
    def __init__(self, served: list[str], *arguments) -> None:
        self.served = served
        super().__init__(*arguments)

    def do_GET(self):
        self.served.append(self.path)
        if self.path == "/missing":
            self.send_error(404)
            return
        self.send_response(200)
        if self.path != "/unsized":
            self.send_header("Content-Length", str(len(CONTENT)))
        self.end_headers()
        self.wfile.write(CONTENT[: 300_000 if self.path == "/cut" else None])

    def log_message(self, *_):
        pass


@pytest.fixture
def server(monkeypatch):
    """An address, and the paths that were asked for."""
    monkeypatch.setattr(archive, "HANDLERS", (*archive.HANDLERS, urllib.request.HTTPHandler))
    served: list[str] = []
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, served)) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}", served
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("name", ["whole", "unsized"])
def test_a_file_is_fetched_once(name, server, tmp_path):
    address, served = server
    heard = []
    for _ in range(2):
        path = Archive(name, address, MD5).fetch(tmp_path / "new" / "folder", lambda *now: heard.append(now))
        assert path == tmp_path / "new" / "folder" / name
        assert path.read_bytes() == CONTENT
    assert served == [f"/{name}"]
    assert heard == sorted(heard)
    assert heard[-1] == (len(CONTENT), len(CONTENT))


@pytest.mark.parametrize(
    ("name", "md5", "sentence"),
    [
        ("whole", "0" * 32, f"has the MD5 checksum {MD5}, but {'0' * 32} was published"),
        ("cut", MD5, "broke off after 300,000 of 1,048,576 bytes"),
        ("missing", MD5, "HTTP Error 404"),
    ],
)
def test_what_is_not_whole_leaves_nothing_behind(name, md5, sentence, server, tmp_path):
    with pytest.raises((ValueError, FileNotFoundError), match=sentence) as caught:
        Archive(name, server[0], md5).fetch(tmp_path)
    assert f"{server[0]}/{name}" in str(caught.value)
    assert str(tmp_path / name) in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_without_a_network_it_says_which_file_to_put_where(tmp_path):
    with pytest.raises(FileNotFoundError, match="refused") as caught:
        Archive("images.gz", "https://127.0.0.1:9", MD5).fetch(tmp_path)
    assert str(caught.value).startswith(f"{tmp_path / 'images.gz'} does not exist, and https://127.0.0.1:9/images.gz")


def test_a_file_that_is_there_already_is_checked(server, tmp_path):
    (tmp_path / "whole").write_bytes(CONTENT[:-1] + b"?")
    with pytest.raises(ValueError, match=f"whole has the MD5 checksum .*, but {MD5} was published; remove it"):
        Archive("whole", server[0], MD5).fetch(tmp_path)
    assert server[1] == []


def test_plain_http_is_not_spoken(server, monkeypatch, tmp_path):
    monkeypatch.setattr(archive, "HANDLERS", archive.HANDLERS[:-1])
    with pytest.raises(FileNotFoundError, match=r"could not be read .*unknown url type: http"):
        Archive("whole", server[0], MD5).fetch(tmp_path)
    assert server[1] == []
    every = [*(layout.archive for layout in LAYOUTS.values()), *(each for part in FILES.values() for each in part)]
    assert all(each.address.startswith("https://") for each in every)


def test_the_data_folder_is_the_users_choice(monkeypatch, tmp_path):
    monkeypatch.setenv("HYPERTORUS_DATA", str(tmp_path / "own"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert data_folder() == tmp_path / "own"
    monkeypatch.delenv("HYPERTORUS_DATA")
    assert data_folder() == tmp_path / "cache" / "hypertorus" / "data"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert data_folder() == Path.home() / ".cache" / "hypertorus" / "data"
