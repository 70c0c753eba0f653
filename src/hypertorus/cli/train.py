"""`hypertorus train`: train a model on data and save it in a folder."""

from __future__ import annotations

import functools
import importlib.util
import inspect
import json
from collections.abc import Callable
from dataclasses import Field, asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer
from rich.table import Table

from hypertorus.cli.options import DATA, AsJson, DataFolder, Device, Group, Labels, Size
from hypertorus.cli.reading import read
from hypertorus.files.console import plain_console
from hypertorus.files.progress import bar
from hypertorus.files.suffixes import SUFFIXES
from hypertorus.training.settings import EARS, HARDWARE, Settings

if TYPE_CHECKING:
    from hypertorus.datasets import Data
    from hypertorus.training import Outcome
    from hypertorus.training.baselines import Baselines


NOISE = 0.01
"""Difference of two precisions that means nothing."""


def settings_as_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command one option for each field of `Settings` in place of its parameter `settings`.

    The parameter holds the options that were given, by name; what the others are depends on the data.
    """
    signature = inspect.signature(command, eval_str=True)
    options = [_option(field) for field in fields(Settings)]

    @functools.wraps(command)
    def with_options(context: typer.Context, **values: Any) -> None:
        chosen = {option.name: values.pop(option.name) for option in options}
        given = {name: value for name, value in chosen.items() if _is_given(context, name)}
        if "encoder" not in given and not any(_is_given(context, name) for name in ("sound_ear", "seconds", "depth")):
            from hypertorus.training.ears import encoder_for

            if (name := encoder_for(values["data"])) != "auto":
                given["encoder"] = name
        command(settings=given, **values)

    parameters = list(signature.parameters.values())
    place = list(signature.parameters).index("settings")
    parameters[place : place + 1] = options
    context = inspect.Parameter("context", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context)
    parameters.insert(0, context)
    with_options.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return with_options


def _is_given(context: typer.Context, name: str) -> bool:
    """Return whether an option was given, so that what comes with an encoder does not replace it."""
    source = context.get_parameter_source(name)
    return source is not None and source.name != "DEFAULT"


def _option(field: Field[Any]) -> inspect.Parameter:
    kind = get_type_hints(Settings)[field.name]
    flag = f"--{field.name.replace('_', '-')}"  # without a name, a boolean would get a --no-... as well
    panel, shown = field.metadata["panel"], field.metadata["shown"]
    option = typer.Option(flag, help=field.metadata["help"], rich_help_panel=panel, show_default=shown)
    return inspect.Parameter(
        field.name,
        inspect.Parameter.POSITIONAL_OR_KEYWORD,
        default=field.default,
        annotation=Annotated[kind, option],
    )


@settings_as_options
def train(
    data: Annotated[
        str,
        typer.Argument(
            help="Data set: digits, cifar10, cifar100 or fashion-mnist; a folder with a folder of images or sounds "
            f"for each class; a file of images or vectors with labels ({', '.join(SUFFIXES)}); a .csv that lists "
            "sounds, or a .pt of them; a .csv, .tsv or .jsonl of texts (columns text and label, or anchor "
            "and positive); hf:NAME for a Hugging Face data set.",
            show_default=False,
        ),
    ],
    out: Annotated[Path, typer.Option(help="Folder to save the model in.", show_default=False)],
    settings: dict[str, Any],
    restart: Annotated[
        bool, typer.Option("--restart", help="Start over and replace the run or the model in the folder.")
    ] = False,
    as_json: AsJson = False,
    device: Device = "auto",
    devices: Annotated[int, typer.Option(help="Number of devices on each machine.", rich_help_panel=HARDWARE)] = 1,
    nodes: Annotated[int, typer.Option(help="Number of machines.", rich_help_panel=HARDWARE)] = 1,
    workers: Annotated[
        int | None,
        typer.Option(help="Number of processes that read files.", rich_help_panel=HARDWARE, show_default="by the data"),
    ] = None,
    data_folder: DataFolder = None,
    labels: Labels = None,
    size: Size = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            help="Length of a window of sound in seconds.", rich_help_panel=DATA, show_default="median length, up to 6"
        ),
    ] = None,
    depth: Annotated[
        float | None,
        typer.Option(
            help="Dynamic range of spectrograms in decibels below their maximum; 60 suits .ogg and .mp3.",
            rich_help_panel=DATA,
            show_default="unlimited, as published",
        ),
    ] = None,
    sound_ear: Annotated[
        str | None,
        typer.Option(
            "--sound",
            help=f"Ear that makes inputs of sounds: {', '.join(EARS)}; with settings that are not its own as in "
            "chip:rate=16000,bands=36.",
            rich_help_panel=DATA,
            show_default="by the encoder",
        ),
    ] = None,
    group: Group = None,
) -> None:
    """Train embeddings and save them as a model.

    The same command resumes a run that was stopped.
    The folder holds the model and, in run/, the metrics of each epoch (metrics.csv, and the same for TensorBoard).

    Example: hypertorus train digits --space torusN --dim 16 --out model/
    """
    from hypertorus.training.ears import kind_of_ear, named_ear
    from hypertorus.training.folder import RunFolder

    checked = Settings.chosen(**settings)  # before there is any work
    RunFolder(out).check_place()
    named = sound_ear or kind_of_ear(checked.encoder, data)
    sound = named_ear(named) if named else {}
    given = {"seconds": seconds, "depth": depth}
    sound |= {name: value for name, value in given.items() if value is not None}
    data_set = read(data, folder=data_folder, labels=labels, size=size, sound=sound or None, group=group)

    from hypertorus.training import (
        Hardware,  # takes seconds to import, so the options are checked first
        run_training,
    )
    from hypertorus.training.parts import are_vectors

    chosen = Settings.chosen(vectors=are_vectors(data_set), **settings)
    outcome = run_training(data_set, chosen, out, hardware=Hardware(device, devices, nodes, workers), restart=restart)
    if outcome is None:
        return
    beside = _without_training(data_set, chosen, out)
    if as_json:
        typer.echo(json.dumps({**asdict(outcome), "without_training": asdict(beside)}, indent=2))
    else:
        _show(outcome, beside, chosen, out)
    if importlib.util.find_spec("matplotlib"):
        from hypertorus.report.curves import curves, read_curve
        from hypertorus.report.style import save

        name = f"{chosen.space} {chosen.dim}"
        save(curves({name: read_curve(out / "run" / "metrics.csv")}), out / "run" / "curves.png")


def _without_training(data: Data, settings: Settings, out: Path) -> Baselines:
    from hypertorus.models import load
    from hypertorus.training.baselines import baselines, features_as_data
    from hypertorus.training.prepare import build_model

    with bar("comparing with no training") as progress:
        if data.train.texts:  # bytes say nothing by themselves: compare with the text model before its training
            inputs = features_as_data(data, build_model(data, settings))
        else:
            inputs = features_as_data(data, load(out)) if settings.frozen else data
        return baselines(inputs, settings.dim, progress)


def _show(outcome: Outcome, beside: Baselines, settings: Settings, out: Path) -> None:
    shown = Table(title=f"Precision at 1, by guessing {outcome.chance:.3f}", title_justify="left")
    shown.add_column("inputs")
    shown.add_column("precision", justify="right")
    if outcome.validation is not None:
        shown.add_row("validation, while training", f"{outcome.validation:.3f}")
    shown.add_row("test", f"{outcome.test:.3f}")
    shown.add_row("test, as 8-bit codes", f"{outcome.test_8bit:.3f}", end_section=True)
    encoded = settings.frozen or settings.encoder.startswith("sentence:")
    inputs = "features of the encoder" if encoded else "inputs as they are"
    shown.add_row(f"without training: {inputs}", f"{beside.inputs:.3f}")
    shown.add_row(f"without training: {settings.dim} principal components", f"{beside.pca:.3f}")
    console = plain_console()
    console.print(shown)
    console.print(
        f"{out}: the model of epoch {outcome.best_epoch} of {outcome.epochs}, {outcome.seconds:.0f} s of training",
    )
    if hint := _hint(outcome, beside):
        plain_console(stderr=True).print(hint)


def _hint(outcome: Outcome, beside: Baselines) -> str | None:
    """Return what to do about a model that is not worth its training."""
    if outcome.test < 1.5 * outcome.chance:
        return "It has hardly learned: train longer (--epochs), with another --lr, or with --koleo 0.1."
    if outcome.test < max(beside.inputs, beside.pca) - NOISE:
        return (
            "Training gained nothing: nearest neighbours do better without it. Train longer (--epochs) or a wider "
            "embedding (--dim); or make codes of vectors as they are (hypertorus fit-codes)."
        )
    return None
