"""What the documents show is what happens: every Python block in them runs."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
RECIPES = [*(ROOT / "docs" / "databases").glob("*.md"), ROOT / "docs" / "hoplite.md"]
"""Those that `test_recipes.py` runs, if what they need is installed."""
BLOCKS = [
    pytest.param(block, id=f"{document.name}-{number}")
    for document in DOCUMENTS
    if document not in RECIPES  # each of which is one program
    for number, block in enumerate(re.findall(r"```python\n(.*?)```", document.read_text(), flags=re.DOTALL), 1)
]


@pytest.mark.parametrize("block", BLOCKS)
def test_python_blocks_run(block, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(block, "block", "exec"), {"__name__": "__main__"})
    assert block.count("\n") <= 20, "a block in a document should be short"


def test_the_readme_is_short_and_names_the_two_commands():
    readme = (ROOT / "README.md").read_text()
    assert readme.count("\n") < 150
    assert "make demo" in readme
    assert "make test" in readme


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_within_the_tree_lead_somewhere(document):
    for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", document.read_text()):
        assert (document.parent / target).exists(), target
