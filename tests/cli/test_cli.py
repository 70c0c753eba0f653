"""The command as a user meets it: a process with an exit code."""

import json
import os
import signal
import subprocess
import sys
from importlib import metadata
from pathlib import Path


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from hypertorus.cli import main; main()", *arguments]
    environment = {**os.environ, "COLUMNS": "100", "TERM": "dumb"}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


def test_help_teaches():
    done = run("--help")
    assert done.returncode == 0
    assert "spaces" in done.stdout
    assert "Example: hypertorus spaces --dim 128" in run("spaces", "--help").stdout


def test_it_says_its_version_also_as_a_module():
    command = [sys.executable, "-m", "hypertorus", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"hypertorus {metadata.version('hypertorus')}\n"


def test_spaces_prints_the_first_table_of_the_paper():
    done = run("spaces", "--dim", "16", "--json")
    rows = {row["space"]: (row["point"], row["turns"], row["intrinsic"]) for row in json.loads(done.stdout)}
    assert rows == {"sphere": (16, None, 15), "torusN": (16, 8, 8), "torusC": (32, 16, 16)}
    assert "torusN │  16 │    16 │     8 │    8 │ cosine 2, l1 4, l2 2" in run("spaces", "--dim", "16").stdout


def test_what_the_user_can_mend_is_one_sentence():
    done = run("spaces", "--dim", "7")
    assert done.returncode == 1
    assert done.stderr == "hypertorus: dim is 7, which is odd; torusN takes numbers in pairs, so make it even.\n"
    assert run("no-such-command").returncode == 2


def test_the_shell_completes_commands():
    asked = {"_HYPERTORUS_COMPLETE": "complete_bash", "COMP_WORDS": "hypertorus se", "COMP_CWORD": "1"}
    command = Path(sys.executable).with_name("hypertorus")
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **asked})
    assert done.stdout.split() == ["search"]


def test_a_place_that_cannot_be_written_to_is_named_before_the_work(run_here, tmp_path):
    missing, file = tmp_path / "missing", tmp_path / "file"
    file.write_text("")
    for command, place in [
        (["index", "build", "no.npy"], missing / "x.index"),
        (["encode", "no.npy"], missing / "x.npy"),
        (["search", "no.index", "no.npy"], missing / "x.npz"),
        (["fit-codes", "no.npy"], file / "coder"),
        (["sounds", "index", "no", "no"], file / "sounds"),
    ]:
        said = run_here(*command, "--out", place).stderr
        assert said.startswith(f"hypertorus: nothing can be written to {place}: "), said
    said = run_here("index", "info", tmp_path / "no.index").stderr
    assert said == f"hypertorus: there is no file {tmp_path / 'no.index'}; check its name.\n"


def test_interrupting_exits_with_130(tmp_path, unmeasured):
    command = [sys.executable, "-c", "from hypertorus.cli import main; main()", "demo", "--out", str(tmp_path / "demo")]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, env=unmeasured, **pipes) as process:
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate()
    assert process.returncode == 130
    assert stderr == "Stopped; what was trained is kept, and the same command resumes.\n"
