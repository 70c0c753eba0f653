"""What is printed is what was given: brackets are letters like any other, everywhere."""

import re
from pathlib import Path

import pytest
from rich.table import Table

import hypertorus
from hypertorus.files.console import plain_console

NAMES = ["[/x]", "[red]cat", "[bold]", "a [link=http://x]b", ":owl:", "\\[x]"]


@pytest.mark.parametrize("name", NAMES)
def test_names_are_printed_as_they_are_in_lines_and_tables(name, capsys):
    table = Table(title=name, caption=name)
    table.add_column(name)
    table.add_row(name)
    console = plain_console(width=60)
    console.print(name)
    console.print(table)
    assert capsys.readouterr().out.count(name) == 5


def test_there_is_one_console():
    root = Path(hypertorus.__file__).parent
    files = {file.relative_to(root).as_posix() for file in root.rglob("*.py") if "Console(" in file.read_text()}
    assert files == {"files/console.py"}


def test_columns_of_progress_read_no_markup_from_variables():
    root = Path(hypertorus.__file__).parent
    columns = re.findall(r"TextColumn\(([^)]*)\)", "".join(file.read_text() for file in root.rglob("*.py")))
    assert columns
    assert all(column.startswith('"') or column.endswith("markup=False") for column in columns)
