"""A file is replaced whole, by one of the same mode, and nothing but a file is replaced."""

import os
import socket
import stat
import time
from pathlib import Path

import pytest

from hypertorus.files.atomic import replacing
from hypertorus.files.partial import partial_of


def write(path, content=b"new"):
    with replacing(path) as file:
        file.write(content)


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o664])
def test_the_mode_of_a_file_stays(tmp_path, mode):
    path = tmp_path / "index"
    path.write_bytes(b"old")
    path.chmod(mode)
    with replacing(path) as file:
        assert stat.S_IMODE(os.fstat(file.fileno()).st_mode) == mode
        file.write(b"new")
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"new", mode)


def test_what_is_no_file_is_not_replaced(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # the name of a socket must be short
    os.mkfifo("pipe")
    Path("link").symlink_to("pipe")
    with socket.socket(socket.AF_UNIX) as there:
        there.bind("socket")
    for name, kind in (("pipe", "pipe"), ("link", "pipe"), ("socket", "device or socket")):
        with pytest.raises(ValueError, match=f"is a {kind}, which a file would replace; write to a file instead"):
            write(Path(name))
    assert stat.S_ISFIFO(Path("pipe").stat().st_mode)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "pipe", "socket"]


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="there is no folder in which nobody can write")
def test_a_place_where_nothing_can_be_written_is_named_as_it_was_given():
    with pytest.raises(OSError, match=r"^/proc/owls.index could not be written \(.*\); choose another place\.$"):
        write(Path("/proc/owls.index"))


@pytest.mark.parametrize("name", ["a" * 237, "a" * 238, "a" * 255, "ü" * 127, "a" + "€" * 84])
def test_a_name_may_be_as_long_as_the_file_system_has_it(tmp_path, name):
    path = tmp_path / name
    write(path, b"old")
    left = partial_of(path)
    left.write_bytes(b"half")
    os.utime(left, (time.time() - 4000,) * 2)
    write(path)
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


def test_long_names_with_the_same_start_have_names_of_their_own(tmp_path):
    one, other = (partial_of(tmp_path / ("a" * 250 + end)).name[:-17] for end in "xy")
    assert one != other
