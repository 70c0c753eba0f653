"""The pages of docs/databases and docs/hoplite.md are tests: the Python of a page runs in order, as one program."""

import ast
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import hypertorus as ht

ROOT = Path(__file__).parent.parent
PAGES = [*sorted((ROOT / "docs" / "databases").glob("*.md")), ROOT / "docs" / "hoplite.md"]
ENGINES_INSTALLED = Path(sys.prefix) / "engines-installed"
"""What `make setup-engines` leaves behind, so that nothing is skipped where it has run."""

RECIPES = [page for page in PAGES if "```python" in page.read_text()]


def program(page: Path) -> list[str]:
    return re.findall(r"```python\n(.*?)```", page.read_text(), flags=re.DOTALL)


def imported(code: str) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module.split(".")[0])
    return names


@pytest.mark.parametrize("page", RECIPES, ids=lambda page: page.stem)
def test_a_recipe_finds_what_the_index_finds(page, tmp_path):
    code = "\n".join(program(page))
    if missing := sorted(name for name in imported(code) if find_spec(name) is None):
        assert not ENGINES_INSTALLED.exists(), f"make setup-engines does not install {', '.join(missing)}"
        pytest.skip(f"{page.name} needs {', '.join(missing)}; run: make setup-engines")
    (tmp_path / "recipe.py").write_text(code)
    done = subprocess.run([sys.executable, "recipe.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]


@pytest.mark.parametrize("page", RECIPES, ids=lambda page: page.stem)
def test_a_recipe_is_compared_with_the_exact_index(page):
    blocks = program(page)
    assert all(block.count("\n") <= 20 for block in blocks), "a block in a document should be short"
    compared = [ast.unparse(node) for node in ast.walk(ast.parse("\n".join(blocks))) if isinstance(node, ast.Assert)]
    assert any("exact" in line for line in compared)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_opens_with_what_it_gives(page):
    opening = page.read_text().split("\n\n")[1]
    if page.stem == "index":
        return
    assert opening.startswith("**Gives:**" if page in RECIPES else "**Not run here.**")


def test_the_identities_of_engines_without_wrap_around():
    """Those of docs/databases/others.md, for every pair of values."""
    code = np.arange(256, dtype=np.uint8)
    wrapped = ht.distances(code[:, None], code[:, None], metric="l1")
    signed = code.view(np.int8).astype(float)
    np.testing.assert_array_equal(128 - np.abs(np.abs(signed[:, None] - signed) - 128), wrapped)
    points = ht.int8_points(code[:, None]).astype(np.int16)
    shifted = points + 128
    assert shifted.min() >= 0
    assert shifted.max() <= 255
    between = ((shifted[:, None] - shifted) ** 2).sum(axis=-1)
    np.testing.assert_array_equal(between, ((points[:, None] - points) ** 2).sum(axis=-1))
