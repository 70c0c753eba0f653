"""What the documents show is what happens: their Python runs, their commands exist, and their links lead somewhere."""

import re
import runpy
import shlex
import tempfile
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest
import typer.main

import hypertorus as ht
from hypertorus.cli import app

ROOT = Path(__file__).parent.parent
DOCUMENTS = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]
GUIDES = sorted((ROOT / "docs" / "guides").glob("*.md"))
COMMAND = typer.main.get_command(app)
RECIPES = [*(ROOT / "docs" / "databases").glob("*.md"), ROOT / "docs" / "hoplite.md"]
"""Those that `test_recipes.py` runs, if what they need is installed."""
STORIES = sorted(path for path in (ROOT / "examples").glob("*.py") if path.name != "__init__.py")
BLOCKS = [
    pytest.param(block, id=f"{document.name}-{number}")
    for document in DOCUMENTS
    if document not in [*RECIPES, *GUIDES]  # each of which is one program
    for number, block in enumerate(re.findall(r"```python\n(.*?)```", document.read_text(), flags=re.DOTALL), 1)
]
TOLD = {
    "images": lambda names: names["right"].mean() > 0.8,
    "own_loop": lambda names: ht.evaluate(names["record"])["8bit"].precision_at_1 > 0.85,
    "sounds": lambda names: all(names["scene"][round(match.start)] == "reed" for match in names["found"][:4]),
    "text": lambda names: names["same"].mean() >= 0.6,
    "vectors": lambda names: names["recall"](names["better"]) > names["recall"](names["alone"]) > 0.7,
}
"""What must be true when a story has been told, by the names of its script."""
SMALL = {
    "train": ["--epochs", "1"],
    "chirps": ["--species", "3", "--recordings", "5"],
}
"""What makes the commands of a guide quick."""


def by_name(path):
    return str(path.relative_to(ROOT))


def run_python(block, names):
    exec(compile(block, "block", "exec"), names)
    assert block.count("\n") <= 20, "a block in a document should be short"


def commands(shell):
    """The commands of a block of shell, as lists of words; variables of the shell become 0."""
    lines = re.sub(r"\$\w+", "0", shell.replace("\\\n", " ")).splitlines()
    parts = [shlex.split(part, comments=True) for line in lines for part in re.split(r" && |; do ", line)]
    return [words[: words.index(">")] if ">" in words else words for words in parts if words]


@pytest.mark.parametrize("block", BLOCKS)
def test_python_blocks_run(block, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run_python(block, {"__name__": "__main__"})


@pytest.mark.parametrize("guide", GUIDES, ids=lambda path: path.stem)
def test_a_guide_runs_from_top_to_bottom(guide, tmp_path, monkeypatch, run_here):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    names, said = {"__name__": "__main__"}, ""
    for language, block in re.findall(r"^```(\w*)\n(.*?)^```", guide.read_text(), flags=re.DOTALL | re.MULTILINE):
        if language == "python":
            run_python(block, names)
            continue
        if not language:
            assert shown(block) <= shown(said)
            continue
        for words in commands(block):
            if words[0] == "hypertorus":
                done = run_here(*words[1:], *SMALL.get(words[1], []))
                assert done.returncode == 0, done.stderr
                said = done.stdout


def shown(output):
    """The lines of what a command prints, without their numbers, spaces and rules, and without the rows of a table."""
    lines = {re.sub(r"[\d\s─]+", "", line) for line in output.splitlines() if not re.search(r"\d$", line.rstrip())}
    return lines - {""}


@pytest.mark.parametrize("story", STORIES, ids=lambda path: path.stem)
def test_a_story_runs(story, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    names = runpy.run_path(str(story))
    assert len(capsys.readouterr().out.splitlines()) >= 4
    assert TOLD[story.stem](names)
    assert story.read_text().count("\n") <= 45, "a story is short"


@pytest.mark.parametrize("document", DOCUMENTS, ids=by_name)
def test_commands_exist_with_all_their_options(document):
    """Commands in blocks must be complete and of the right types; of those within a sentence options are checked."""
    text = document.read_text()
    for block in re.findall(r"```sh\n(.*?)```", text, flags=re.DOTALL):
        for words in commands(block):
            check_command(words)
    for sentence in re.findall(r"`(hypertorus (?!as )[^`]*)`", text):
        command, rest = found_command(sentence.split()[1:])
        known = {option for parameter in command.params for option in [*parameter.opts, *parameter.secondary_opts]}
        assert {word for word in rest if word.startswith("-")} <= known | {"--help"}, sentence


def test_examples_of_help_texts_are_complete(pages):
    for _, command in pages.commands.leaves(COMMAND):
        for example in re.findall(r"Example: (.*)", command.help):
            check_command(shlex.split(example))


def check_command(words):
    program, *rest = words
    if program == "hypertorus":
        command, rest = found_command(rest)
        command.make_context("hypertorus", rest)
    elif program == "make":
        assert re.search(rf"^{rest[0]}:", (ROOT / "Makefile").read_text(), flags=re.MULTILINE), words
    elif program == "pip":
        extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
        asked = [extra for word in rest for names in re.findall(r"\[(.*)\]", word) for extra in names.split(",")]
        assert set(asked) <= set(extras), words
    elif program.endswith("python") and rest[0] == "-m":
        place = ROOT.joinpath(*rest[1].split("."))
        assert place.with_suffix(".py").exists() or (place / "__main__.py").exists() or find_spec(rest[1]), words


def found_command(words):
    """The command that words call, and the words that are left for it."""
    command = COMMAND
    while words and hasattr(command, "commands") and not words[0].startswith("-"):
        assert words[0] in command.commands, f"hypertorus has no command {words[0]}"
        command, words = command.commands[words[0]], words[1:]
    return command, words


def test_the_readme_is_short_and_names_the_two_commands():
    readme = (ROOT / "README.md").read_text()
    assert readme.count("\n") < 150
    assert "make demo" in readme
    assert "make test" in readme


@pytest.fixture(scope="module")
def pages():
    """The script that builds the site."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "docs"))
        import pages

        yield pages


@pytest.fixture(scope="module")
def anchors(pages):
    """The anchors of each document, by its path in the repository; those that are made when the site is built, too."""
    texts = {**pages.texts(), "README.md": (ROOT / "README.md").read_text()}
    return {name: headings(text) for name, text in texts.items()}


def headings(text):
    text = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    given = re.findall(r"^#+ .*\{#(.+)\}$", text, flags=re.MULTILINE)
    plain = re.findall(r"^#+ (.*)$", text, flags=re.MULTILINE)
    return {*given, *(re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in plain), ""}


@pytest.mark.parametrize("document", DOCUMENTS, ids=by_name)
def test_links_within_the_tree_lead_somewhere(document, anchors):
    for target, anchor in re.findall(r"\]\((?!https?:)([^)#\s]*)#?([^)\s]*)\)", document.read_text()):
        path = (document.parent / target).resolve() if target else document
        if by_name(path) not in anchors:
            assert path.exists(), target
            assert not anchor
        else:
            assert anchor in anchors[by_name(path)], f"{target}#{anchor}"


def test_the_site_is_built(pages, tmp_path):
    """Without a broken link and without anything from outside, which would be errors."""
    site = pages.build(tmp_path)
    assert 'id="Index.search"' in (site / "reference" / "search.html").read_text()
    assert "stories.html" in (site / "index.html").read_text()
    assert re.search(r'<a href="images/soft.png"><img[^>]* src="images/soft.png"', (site / "soft.html").read_text())


def test_what_is_wrong_in_a_site_is_told(pages, tmp_path):
    links = '<a href="nowhere.html"></a><a href="a.html#x"></a><a href="a.html#y"></a><a href="/a.html"></a>'
    loads = '<img src="https://example.org/a.png"><script src="gone.js"></script><link href="../a.css">'
    (tmp_path / "index.html").write_text(links + loads)
    (tmp_path / "a.html").write_text('<h1 id="y"></h1><a href="https://example.org"></a>')
    (tmp_path / "a.css").write_text("p { background: url(https://example.org/a.png) }")
    assert pages.links.problems(tmp_path) == [
        "index.html loads https://example.org/a.png from outside.",
        "index.html links to nowhere.html, which is not there.",
        "index.html links to a.html#x, where there is no such anchor.",
        "index.html links to gone.js, which is not there.",
        "index.html links to ../a.css, which is not there.",
        "a.css loads something from outside.",
    ]


def test_every_page_is_in_the_navigation(pages):
    navigation = (ROOT / "mkdocs.yml").read_text()
    for name in pages.texts():
        assert f" {name.removeprefix('docs/')}\n" in navigation, name
