"""The map in docs/architecture.md is true: the rooms it lists are the rooms there are, and imports only go up."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "hypertorus"
ROOMS = re.findall(r"^\| `(\w+)` \|", (ROOT / "docs" / "architecture.md").read_text(), flags=re.MULTILINE)
FOLDERS_OF_FOLDERS = sorted(
    {str(file.parent.parent.relative_to(PACKAGE)) for file in PACKAGE.glob("*/**/__init__.py")} - {"."}
)

Imports = dict[Path, set[Path]]
"""Which files of the package each file imports, all below the package's folder."""


@cache
def imports(*, when_loaded: bool = False) -> Imports:
    """All imports within the package, or those that loading a file makes: not those in functions, nor for types."""
    return {
        file.relative_to(PACKAGE): {
            found for name in imported_names(file, when_loaded=when_loaded) if (found := file_of(name))
        }
        for file in PACKAGE.rglob("*.py")
    }


def imported_names(file: Path, *, when_loaded: bool) -> Iterator[str]:
    nodes: list[ast.AST] = [ast.parse(file.read_text())]
    while nodes:
        node = nodes.pop()
        if when_loaded and (isinstance(node, FUNCTIONS) or is_for_types(node)):
            continue
        nodes += ast.iter_child_nodes(node)
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file} imports relatively"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif (
            not when_loaded and isinstance(node, ast.Constant) and re.fullmatch(r"hypertorus\.[\w.]+", str(node.value))
        ):
            yield node.value.rstrip(".")  # of a module that is imported by its name


FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def file_of(name: str) -> Path | None:
    """The file that a name of the package is imported from: its own, or that of what it is a part of."""
    first, *parts = name.split(".")
    if first != PACKAGE.name:
        return None
    while parts:
        for file in (Path(*parts[:-1], f"{parts[-1]}.py"), Path(*parts, "__init__.py")):
            if (PACKAGE / file).is_file():
                return file
        parts.pop()
    return Path("__init__.py")


def both_ways(found: Imports, folder: Path) -> set[tuple[str, str]]:
    """Parts of a folder that import from each other: its sub-folders, and `.` for the files directly in it."""

    def part(file: Path) -> str:
        below = file.relative_to(folder).parent.parts
        return below[0] if below else "."

    pairs = {
        (part(file), part(other))
        for file, others in found.items()
        for other in others
        if folder in file.parents and folder in other.parents
    }
    return {(one, other) for one, other in pairs if one < other and (other, one) in pairs}


def cycle(found: Imports) -> list[str]:
    """Files of which each imports the one before it, and the first the last; none if there is no such circle."""
    try:
        TopologicalSorter(found).prepare()
    except CycleError as error:
        return [str(file) for file in error.args[1]]
    return []


def test_the_map_lists_every_room():
    folders = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists()}
    assert folders == set(ROOMS)
    assert len(ROOMS) == len(set(ROOMS))


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_from_rooms_above_it(room):
    below = set(ROOMS[ROOMS.index(room) + 1 :])
    for file, others in imports().items():
        if file.parts[0] == room:
            assert not {other.parts[0] for other in others} & below, file


@pytest.mark.parametrize("folder", FOLDERS_OF_FOLDERS)
def test_no_two_parts_of_a_folder_import_from_each_other(folder):
    assert both_ways(imports(), Path(folder)) == set()


def test_no_files_import_each_other_in_a_circle():
    assert cycle(imports(when_loaded=True)) == []


def test_planted_circles_are_seen():
    one, other, above, beside = (Path("room", name) for name in ("one/a.py", "other/b.py", "c.py", "one/d.py"))
    assert both_ways({one: {other}, above: {one}, beside: {one}}, Path("room")) == set()
    assert both_ways({one: {other}, other: {beside}}, Path("room")) == {("one", "other")}
    assert both_ways({one: {above}, above: {beside}}, Path("room")) == {(".", "one")}
    assert cycle({one: {other}, other: {above}, beside: {one}}) == []
    assert sorted(set(cycle({one: {other}, other: {above}, above: {one}}))) == sorted(map(str, (one, other, above)))


def test_imports_are_read_from_the_files():
    loaded, anywhere = imports(when_loaded=True), imports()
    command, figures, experiments = Path("cli/paper.py"), Path("paper/all_figures.py"), Path("paper/all_experiments.py")
    assert figures in loaded[command]
    assert experiments in anywhere[command] - loaded[command]
    assert Path("paper/figures/__init__.py") in anywhere[figures] - loaded[figures]
    assert Path("files/progress.py") in loaded[Path("search/index.py")]


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
    ("module", "statement", "extra"),
    [
        ("torch", "from hypertorus.models import Model", "train"),
        ("lightning", "from hypertorus.training import run_training", "train"),
        ("matplotlib", "import hypertorus.report", "paper"),
        ("matplotlib", "import hypertorus.paper.figures", "paper"),
        ("sklearn", "import hypertorus.integrations.sklearn", "sklearn"),
        ("perch_hoplite", "import hypertorus.integrations.hoplite", "hoplite"),
        ("usearch", "import hypertorus; hypertorus.engine('usearch')", "engines"),
        ("faiss", "import hypertorus; hypertorus.engine('faiss-hnsw')", "engines"),
        ("distributed", "import hypertorus as ht; ht.DaskMap.connected('tcp://127.0.0.1:8786')", "cluster"),
        ("starlette", "import hypertorus.explorer", "explorer"),
    ],
)
def test_a_missing_extra_is_named(module, statement, extra):
    code = f"""
import importlib.util
find_spec = importlib.util.find_spec
importlib.util.find_spec = lambda name: None if name == {module!r} else find_spec(name)
try:
    {statement}
except ImportError as error:
    print(error)
"""
    assert run_python(code) == f"this needs {module}, which is not installed; run: pip install 'hypertorus[{extra}]'"
