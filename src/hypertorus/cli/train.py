"""`hypertorus train`: data to a model in a folder, by one command."""

from __future__ import annotations

import importlib.util
import json
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

from hypertorus.cli.reading import read

if TYPE_CHECKING:
    from hypertorus.train import Outcome

LEARNING, RUNNING, READING = "How it learns", "Where it runs", "How data are read"


def train(
    data: Annotated[
        str,
        typer.Argument(
            help="digits, cifar10, cifar100 or fashion-mnist; a folder with a folder of images or sounds for each "
            "class; an .npz or .npy of images or vectors with labels; a .csv that lists sounds, or a .pt of them; "
            "hf:NAME for a Hugging Face data set.",
            show_default=False,
        ),
    ],
    out: Annotated[Path, typer.Option(help="The folder for the model.", show_default=False)],
    space: Annotated[str, typer.Option(help="Where embeddings live: sphere, torusN or torusC.")] = "torusN",
    dim: Annotated[int, typer.Option(help="How many raw numbers an embedding has.")] = 64,
    encoder: Annotated[
        str,
        typer.Option(
            help="auto, small[:WIDTH], small-audio[:WIDTH], bands, mlp[:WIDTH], none, root, resnet18, resnet34, "
            "resnet50, cvt13, efficientnet-lite0, birdnet (for sounds, not for commercial use), timm:NAME, "
            "transformers:FOLDER or transformers:TYPE."
        ),
    ] = "auto",
    frozen: Annotated[
        bool, typer.Option("--frozen", help="Train the head alone, on features that are computed once and kept.")
    ] = False,
    head: Annotated[str, typer.Option(help="two-layer, as in the paper, or linear.")] = "two-layer",
    start: Annotated[
        str,
        typer.Option(help="Of the head: random or, of a linear one on features, pca, their principal components."),
    ] = "random",
    restart: Annotated[bool, typer.Option("--restart", help="Begin anew where a run or a model is already.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the outcome as JSON, for scripts.")] = False,
    loss: Annotated[
        str, typer.Option(help="supcon, simclr, protoclr or triplet.", rich_help_panel=LEARNING)
    ] = "supcon",
    temperature: Annotated[float, typer.Option(help="Of the loss.", rich_help_panel=LEARNING)] = 0.1,
    koleo: Annotated[float, typer.Option(help="Weight of the KoLeo regulariser.", rich_help_panel=LEARNING)] = 0.001,
    epochs: Annotated[int, typer.Option(help="How often all inputs are seen.", rich_help_panel=LEARNING)] = 50,
    batch: Annotated[int, typer.Option(help="Inputs a step, over all devices.", rich_help_panel=LEARNING)] = 200,
    lr: Annotated[float, typer.Option(help="The learning rate to begin with.", rich_help_panel=LEARNING)] = 3e-3,
    optimiser: Annotated[str, typer.Option(help="adam, adamw or sgd.", rich_help_panel=LEARNING)] = "adam",
    weight_decay: Annotated[float, typer.Option(help="Of the optimiser.", rich_help_panel=LEARNING)] = 0.0,
    schedule: Annotated[
        str, typer.Option(help="Of the learning rate: cosine, plateau or constant.", rich_help_panel=LEARNING)
    ] = "cosine",
    patience: Annotated[
        int, typer.Option(help="Epochs without a better validation before stopping.", rich_help_panel=LEARNING)
    ] = 20,
    clip: Annotated[float, typer.Option(help="The limit of gradients.", rich_help_panel=LEARNING)] = 100.0,
    clip_by: Annotated[
        str, typer.Option(help="What is limited: each value, or the norm of all.", rich_help_panel=LEARNING)
    ] = "value",
    ema: Annotated[
        float, typer.Option(help="Decay of a moving average of the weights, 0 for none.", rich_help_panel=LEARNING)
    ] = 0.0,
    average_best: Annotated[
        int, typer.Option(help="Of how many of the best epochs the weights are averaged.", rich_help_panel=LEARNING)
    ] = 1,
    crop: Annotated[
        float, typer.Option(help="The least share of an image that a view keeps.", rich_help_panel=LEARNING)
    ] = 0.7,
    noise: Annotated[
        float, typer.Option(help="Noise on vectors, in standard deviations.", rich_help_panel=LEARNING)
    ] = 0.1,
    seed: Annotated[int, typer.Option(help="The same seed gives the same model.", rich_help_panel=LEARNING)] = 0,
    precision: Annotated[
        str, typer.Option(help="auto, 32-true, 16-mixed or bf16-mixed.", rich_help_panel=RUNNING)
    ] = "auto",
    device: Annotated[str, typer.Option(help="auto, cpu, cuda or mps.", rich_help_panel=RUNNING)] = "auto",
    devices: Annotated[int, typer.Option(help="How many of them, on each machine.", rich_help_panel=RUNNING)] = 1,
    nodes: Annotated[int, typer.Option(help="How many machines.", rich_help_panel=RUNNING)] = 1,
    workers: Annotated[
        int | None, typer.Option(help="Processes that read files.", rich_help_panel=RUNNING, show_default="by data")
    ] = None,
    data_folder: Annotated[
        Path | None,
        typer.Option(
            help="Where archives are.", envvar="HYPERTORUS_DATA", rich_help_panel=READING, show_default="in the cache"
        ),
    ] = None,
    labels: Annotated[
        Path | None, typer.Option(help="The labels of an .npy file.", rich_help_panel=READING, show_default=False)
    ] = None,
    size: Annotated[
        int | None, typer.Option(help="Pixels a side for images in folders.", rich_help_panel=READING)
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(help="Of a window of sound.", rich_help_panel=READING, show_default="their median, up to 6"),
    ] = None,
    depth: Annotated[
        float | None,
        typer.Option(
            help="Decibels below the loudest at which silence begins; 60 or so for .ogg and .mp3.",
            rich_help_panel=READING,
            show_default="as published, no limit",
        ),
    ] = None,
    group: Annotated[
        str | None,
        typer.Option(
            help="By what in their names files are of one recording, which is never split: stem (what is before the "
            "last _), none, or auto, which is stem where that brings any two together.",
            rich_help_panel=READING,
            show_default="auto",
        ),
    ] = None,
) -> None:
    """Train embeddings and save them as a model.

    A run that was stopped goes on when the same command is given again.
    The folder holds the model and, in run/, a row an epoch (metrics.csv, and the same for TensorBoard).

    Example: hypertorus train digits --space torusN --dim 16 --out model/
    """
    given = dict(locals())
    from hypertorus.train.settings import Settings

    asked = Settings(**{field.name: given[field.name] for field in fields(Settings)})
    sound = {name: given[name] for name in ("seconds", "depth") if given[name] is not None}
    if encoder == "birdnet":  # a network that is not trained, so it is heard with: sounds are read as its vectors
        sound["kind"] = encoder
    found = read(data, folder=data_folder, labels=labels, size=size, sound=sound or None, group=group)

    from hypertorus.train import Hardware  # takes seconds, so what is asked for is checked first
    from hypertorus.train import train as run

    outcome = run(found, asked, out, hardware=Hardware(device, devices, nodes, workers), restart=restart)
    if outcome is None:
        return
    if as_json:
        typer.echo(json.dumps(asdict(outcome), indent=2))
    else:
        _show(outcome, out)
    if importlib.util.find_spec("matplotlib"):
        from hypertorus.report.curves import curves, read_curve
        from hypertorus.report.style import save

        save(curves({f"{space} {dim}": read_curve(out / "run" / "metrics.csv")}), out / "run" / "curves.png")


def _show(outcome: Outcome, out: Path) -> None:
    shown = Table(title=f"Precision at 1, by guessing {outcome.chance:.3f}", title_justify="left")
    shown.add_column("inputs")
    shown.add_column("precision", justify="right")
    shown.add_row("validation, while training", f"{outcome.validation:.3f}")
    shown.add_row("test", f"{outcome.test:.3f}")
    shown.add_row("test, as 8-bit codes", f"{outcome.test_8bit:.3f}")
    console = Console()
    console.print(shown)
    console.print(
        f"{out}: the model of epoch {outcome.best_epoch} of {outcome.epochs}, {outcome.seconds:.0f} s of training",
        highlight=False,
    )
    if outcome.test < 1.5 * outcome.chance:
        Console(stderr=True).print(
            "It has hardly learned: train longer (--epochs), with another --lr, or with --koleo 0.1.", highlight=False
        )
