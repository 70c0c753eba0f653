"""`hypertorus explore` as a process: what it prints, what it refuses, and what is left after a kill."""

import re
import shutil
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import replace

import httpx2
import pytest

from hypertorus.listen.index import SoundIndex
from hypertorus.workbench import Answers, Items


@contextmanager
def explore(*arguments):
    """Yield a client that has come in, and the process, which is killed at the end."""
    code = "from hypertorus.cli import main; main()"
    command = [sys.executable, "-c", code, "explore", *map(str, arguments), "--no-browser", "--who", "Ada"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        lines = [process.stdout.readline() for _ in range(2)]
        address = re.search(r"http://127\.0\.0\.1:\d+/\?token=[0-9a-f]{32}", lines[1])
        assert address, lines
        home = address[0].split("/?")[0]
        with httpx2.Client(base_url=home, headers={"Origin": home}) as client:
            assert client.get(address[0]).status_code == 200
            yield client, process
    finally:
        process.kill()
        process.communicate()


def test_no_answer_is_lost_when_the_server_is_killed(place):
    for number in range(2):
        with explore(place / "sounds") as (client, process):
            said = client.get("/api/said").json()["classes"].get("owl", {})
            assert said == {str(before): "yes" for before in range(number)}
            client.post("/api/say", json={"ids": [number], "question": "owl", "answer": "yes"}).raise_for_status()
            process.kill()  # at once, with everything open
    assert (place / "sounds.answers.sqlite").exists()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--host", "0.0.0.0"], "--token"),
        (["--host", "0.0.0.0", "--token", "short"], "at least 16"),
        (["--images", "nowhere"], "its own model"),
        (["--host", "256.1.1.1", "--token", "0123456789abcdef"], "cannot be served"),
    ],
)
def test_mistakes_are_one_sentence(run_here, place, arguments, sentence):
    done = run_here("explore", place / "sounds", "--no-browser", *arguments)
    assert done.returncode == 1
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1


def test_answers_on_codes_of_another_model_are_taken_over_only_when_asked(run_here, place, tmp_path, monkeypatch):
    shutil.copytree(place / "sounds", tmp_path / "sounds")
    items = Items.of(SoundIndex.open(tmp_path / "sounds"))
    with Answers.open(tmp_path / "sounds.answers.sqlite", replace(items, model="another")) as answers:
        answers.say(items.key(0), "owl", "yes", who="Ada")
    command = ("explore", tmp_path / "sounds", "--no-browser")
    assert "another model" in run_here(*command).stderr
    served = []
    monkeypatch.setattr("hypertorus.explorer.serve.serve", lambda *_, **__: served.append(True))
    assert run_here(*command, "--other-model").returncode == 0
    assert served == [True]


def test_the_help_teaches(run_here):
    done = run_here("explore", "--help")
    assert done.returncode == 0
    for part in ("Example: hypertorus explore sounds/", "--token", "y, n and u"):
        assert part in " ".join(done.stdout.replace("│", " ").split())
