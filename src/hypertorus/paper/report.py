"""The page of the paper: results, claims, tables, and figures that explain a torus."""

from __future__ import annotations

from pathlib import Path

from hypertorus.codes import PAPER
from hypertorus.codes.costs import COLUMNS, costs_table
from hypertorus.files.atomic import replacing
from hypertorus.files.progress import Progress
from hypertorus.paper.all_figures import FIGURES, figures_of
from hypertorus.paper.claims import BIRDSONG_CLAIMS, CLAIMS, READING, Claims, findings
from hypertorus.paper.experiments.birdsong.scales import AS_THEY_ARE, CHIRPS
from hypertorus.paper.experiments.experiment import Experiment
from hypertorus.paper.experiments.table import OK, runs_of
from hypertorus.report.page import heading, page, paragraph, picture, table
from hypertorus.report.style import save
from hypertorus.spaces import TorusN
from hypertorus.spaces.facts import space_facts

SPACE_COLUMNS = ("space", "raw numbers", "point, unit norm", "turns", "free dimensions", "largest distance")


def write_report(
    images: Experiment, folder: Path, birdsong: Experiment | None = None, progress: Progress | None = None
) -> Path:
    """Write every figure as PNG and PDF into `folder`, and a page of them with tables and claims; return its path."""
    experiments: dict[str | None, Experiment | None] = {None: None, "images": images}
    if birdsong:
        experiments["birdsong"] = birdsong
    names = [name for experiment in experiments for name in figures_of(experiment)]
    pictures: dict[str, str] = {}
    for name in names:
        pictures[name] = _picture(name, folder, experiments[FIGURES[name].experiment])
        if progress:
            progress(len(pictures), len(names))
    blocks = [
        paragraph(_runs(images) + ", by the class of the nearest neighbour."),
        *(pictures[name] for name in figures_of("images")),
        *_claims(images, CLAIMS),
    ]
    if birdsong:
        blocks += [
            heading("Birdsong"),
            paragraph(_runs(birdsong) + _synthetic(birdsong)),
            *(pictures[name] for name in figures_of("birdsong")),
            *_claims(birdsong, BIRDSONG_CLAIMS),
        ]
    blocks += [
        paragraph(READING),
        heading("Spaces and quantisers"),
        table(SPACE_COLUMNS, [facts.cells for facts in space_facts(64)]),
        paragraph("On torusN with 64 raw numbers, 32 turns:"),
        table(COLUMNS, costs_table(("8bit", "4bit", "2bit", *PAPER[1:]), TorusN(64))),
        heading("How a torus works"),
        *(pictures[name] for name in figures_of(None)),
    ]
    with replacing(folder / "index.html") as file:
        file.write(page("Torus embeddings, by one command", blocks).encode())
    return folder / "index.html"


def _picture(name: str, folder: Path, experiment: Experiment | None) -> str:
    figure = FIGURES[name]
    drawing = figure.draw(experiment)
    for suffix in (".pdf", ".png"):
        save(drawing, folder / f"{name}{suffix}")
    return picture(folder / f"{name}.png", figure.caption)


def _runs(experiment: Experiment) -> str:
    runs = [row for row in runs_of(experiment.table) if row["trained"] not in AS_THEY_ARE]
    failed = sum(row["status"] != OK for row in runs)
    seconds = sum(row["seconds"] or 0 for row in runs)
    data = ", ".join(dict.fromkeys(row["data"] for row in runs))
    return (
        f"{len(runs)} training runs on {data} ({failed} failed; {_duration(seconds)} of training), each measured as "
        "floats and with every quantiser"
    )


def _duration(seconds: float) -> str:
    return f"{seconds / 60:.0f} minutes" if seconds >= 120 else f"{seconds:.0f} seconds"


def _synthetic(birdsong: Experiment) -> str:
    if {row["data"] for row in birdsong.table} != {CHIRPS}:
        return "."
    return ". These birds are synthetic: they show that everything works, and nothing about real ones."


def _claims(experiment: Experiment, claims: Claims) -> list[str]:
    blocks = []
    for author, author_findings in findings(experiment.table, claims).items():
        cells = [(finding.claim, finding.measured, finding.verdict) for finding in author_findings]
        blocks += [heading(f"{author}: claims and results"), table(("claim", "measured", "verdict"), cells)]
    return blocks
