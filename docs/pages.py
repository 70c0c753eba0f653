"""Builds the pages into build/site: those of docs/, and those made of docstrings, help texts, records and examples.

python docs/pages.py
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from functools import cache, partial
from pathlib import Path

import commands
import links
import records
import reference
import stories

ROOT = Path(__file__).parent.parent
OUTSIDE = ("CONTRIBUTING.md", "CHANGELOG.md")
"""Pages of the site that are not in docs/."""
PICTURE = re.compile(r"^(!\[[^\]]*\]\(([^)\s]+)\))$", flags=re.MULTILINE)
"""A picture that is a paragraph."""
LINK = re.compile(r"(?<=\]\()(?!https?:|mailto:|#)([^)#\s]+)")


def main() -> None:
    build(ROOT)
    print("build/site/index.html")


def build(where: Path) -> Path:
    """Build the site below `where`, which is the repository or an empty folder; a broken link is an error."""
    write_pages(where / "build" / "pages")
    if where != ROOT:
        shutil.copy(ROOT / "mkdocs.yml", where)
    site = where / "build" / "site"
    shutil.rmtree(site, ignore_errors=True)
    command = [sys.executable, "-m", "zensical", "build", "--strict", "--clean"]
    done = subprocess.run(command, cwd=where, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        raise SystemExit(f"zensical found mistakes in the pages.\n{done.stdout}{done.stderr}")
    if problems := links.problems(site):
        raise SystemExit("\n".join(problems))
    return site


def write_pages(folder: Path) -> None:
    """Write every page as Markdown into a folder, with the files that pages link to."""
    shutil.rmtree(folder, ignore_errors=True)
    for name, text in texts().items():
        page = folder / _place(Path(name))
        page.parent.mkdir(parents=True, exist_ok=True)
        whole = PICTURE.sub(r"[\1](\2)", text)  # on a phone a wide figure is small, and a touch opens it
        page.write_text(LINK.sub(partial(_carried, document=Path(name), folder=folder), whole))
    shutil.copy(ROOT / "docs" / "pages.css", folder)


@cache
def texts() -> dict[str, str]:
    """Return the Markdown of every page by its path in the repository, as if made pages lay in docs/."""
    written = {str(path.relative_to(ROOT)): path.read_text() for path in sorted((ROOT / "docs").rglob("*.md"))}
    by_hand = {name.removeprefix("docs/"): text for name, text in written.items()}
    made = {f"docs/reference/{name}": text for name, text in reference.pages().items()}
    made["docs/reference/commands.md"] = commands.page()
    made["docs/records.md"] = records.page(ROOT, by_hand)
    made["docs/stories.md"] = stories.page(ROOT)
    return written | made | {name: (ROOT / name).read_text() for name in OUTSIDE}


def _place(path: Path) -> Path:
    """Where a file of the repository lies on the site: what is in docs/ at the top, all else by its path."""
    return path.relative_to("docs") if path.parts[0] == "docs" else path


def _carried(link: re.Match[str], document: Path, folder: Path) -> str:
    """Return the link for the place of its page on the site, and copy what it leads to if that is no page."""
    path = Path(os.path.normpath(document.parent / link[0]))
    if path.suffix != ".md":
        if not (ROOT / path).is_file():
            raise SystemExit(f"{document} links to {link[0]}, which is not there.")
        (folder / _place(path)).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, folder / _place(path))
    return os.path.relpath(_place(path), _place(document).parent)


if __name__ == "__main__":
    main()
