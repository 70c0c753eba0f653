"""The options of the command line: where they come from, and how their help reads."""

import subprocess
import sys
from dataclasses import fields

import pytest
import typer

from hypertorus import spaces
from hypertorus.cli import app
from hypertorus.cli.options import METRICS
from hypertorus.models.encoders import by_name
from hypertorus.training.settings import SPACES, Settings

COMMANDS = typer.main.get_command(app).commands
TRAIN = {parameter.name: parameter for parameter in COMMANDS["train"].params}


def helps(name, command):
    """Help texts of a command and of those below it, by name."""
    if isinstance(command, typer.core.TyperGroup):
        return {
            key: text for each in command.commands.values() for key, text in helps(f"{name} {each.name}", each).items()
        }
    return {f"{name} {parameter.name}": parameter.help for parameter in command.params}


SENTENCES = {key: text for name in COMMANDS for key, text in helps(name, COMMANDS[name]).items()}


@pytest.mark.parametrize("field", fields(Settings), ids=lambda field: field.name)
def test_every_setting_is_an_option_of_train_with_the_same_default(field):
    option = TRAIN[field.name]
    assert option.default == field.default
    assert option.opts == [f"--{field.name.replace('_', '-')}"]
    assert not option.secondary_opts
    for choice in field.metadata["choices"]:
        assert choice in option.help


@pytest.mark.parametrize("name", SENTENCES)
def test_a_help_text_is_a_sentence(name):
    sentence = SENTENCES[name]
    assert sentence[0].isupper()
    assert sentence.endswith(".")
    assert sentence.split()[0] not in {"Of", "By", "What", "Whose"}


def test_names_that_are_written_down_to_spare_numpy_are_those_of_the_spaces():
    assert tuple(spaces.SPACES) == SPACES
    assert spaces.Torus.metrics == METRICS


def test_the_help_lists_every_encoder():
    for name in by_name._FAMILIES:
        assert name in TRAIN["encoder"].help


def test_help_does_not_wait_for_heavy_libraries():
    heavy = {"torch", "lightning", "matplotlib", "faiss"}
    code = f"import sys, hypertorus.cli; print(*({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
