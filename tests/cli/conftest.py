"""The command, run where a test can look at what it said."""

import sys

import pytest

from hypertorus.cli import main


@pytest.fixture
def run(tmp_path, monkeypatch, capfd):
    """Run the command in a folder of its own: exit code, what was printed, and the complaint."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["hypertorus", *map(str, arguments)])
        with pytest.raises(SystemExit) as end:
            main()
        said = capfd.readouterr()
        if isinstance(end.value.code, str):
            return 1, said.out, end.value.code
        return end.value.code, said.out, said.err

    return run
