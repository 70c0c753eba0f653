"""The map in docs/architecture.md is true: the rooms it lists are the rooms there are, and imports only go up."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "hypertorus"
ROOMS = re.findall(r"^\| `(\w+)` \|", (ROOT / "docs" / "architecture.md").read_text(), flags=re.MULTILINE)


def imported_rooms(file: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file} imports relatively"
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return {match[1] for name in names if (match := re.match(r"hypertorus\.(\w+)", name))} & set(ROOMS)


def test_the_map_lists_every_room():
    folders = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists()}
    assert folders == set(ROOMS)
    assert len(ROOMS) == len(set(ROOMS))


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_from_rooms_above_it(room):
    allowed = set(ROOMS[: ROOMS.index(room) + 1])
    for file in (PACKAGE / room).rglob("*.py"):
        assert imported_rooms(file) <= allowed, file


def test_tests_mirror_the_rooms():
    folders = {path.name for path in (ROOT / "tests").iterdir() if path.is_dir() and any(path.glob("test_*.py"))}
    assert folders == {*ROOMS, "native"}


def run_python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_importing_the_package_does_not_import_what_is_heavy():
    heavy = {"numpy", "torch", "matplotlib", "typer", "rich", "faiss", "sklearn"}
    code = f"import sys, hypertorus; print(*({heavy} & set(sys.modules)))"
    assert run_python(code) == ""


def test_the_public_page_has_all_that_it_names():
    code = "import hypertorus; print(*(name for name in hypertorus.__all__ if not hasattr(hypertorus, name)))"
    assert run_python(code) == ""
    assert run_python("import hypertorus; print(hasattr(hypertorus, 'Torus'), 'TorusN' in dir(hypertorus))") == (
        "False True"
    )


@pytest.mark.parametrize(
    ("arguments", "heavy"),
    [
        (["--help"], ["numpy", "torch", "lightning", "matplotlib", "hypertorus.spaces"]),
        (["train", "--help"], ["torch", "lightning", "matplotlib"]),
        (["paper", "figure", "distances", "--to", "distances.png"], ["torch", "lightning", "faiss", "sklearn"]),
        (["paper", "run", "--dry-run"], ["lightning", "pytorch_metric_learning"]),
    ],
    ids=" ".join,
)
def test_a_command_imports_what_it_needs_and_no_more(arguments, heavy, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code = f"""
import sys
from hypertorus.cli import main
sys.argv = ["hypertorus", *{arguments}]
try:
    main()
except SystemExit as end:
    print(end.code, *(name for name in {heavy} if name in sys.modules))
"""
    assert run_python(code).splitlines()[-1] == "0"


@pytest.mark.parametrize(
    ("module", "room", "extra"),
    [
        ("torch", "models", "train"),
        ("matplotlib", "report", "paper"),
        ("matplotlib", "paper", "paper"),
        ("sklearn", "integrations.sklearn", "sklearn"),
    ],
)
def test_a_missing_extra_is_named(module, room, extra):
    code = f"""
import importlib.util
found = importlib.util.find_spec
importlib.util.find_spec = lambda name: None if name == {module!r} else found(name)
try:
    import hypertorus.{room}
except ImportError as error:
    print(error)
"""
    assert run_python(code) == f"this needs {module}, which is not installed; run: pip install 'hypertorus[{extra}]'"
