"""The page of the paper: figures that explain a torus, the words, results, claims and tables."""

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
from hypertorus.report.page import heading, page, paragraph, picture, table, words
from hypertorus.report.style import save
from hypertorus.spaces import TorusN
from hypertorus.spaces.facts import space_facts

INTRODUCTION = (
    "An embedding is a list of numbers that a network makes of an input, so that alike inputs get alike numbers. "
    "Usually embeddings lie on a sphere: they are divided by their length. The paper Torus Embeddings (Stowell, "
    "2026) puts them on a torus instead, where every coordinate is an angle and can be stored as an integer that "
    "overflows. This page shows what that is, repeats the paper's experiments, and checks its claims against the "
    "results."
)
WORDS = {
    "raw numbers": "What the network puts out before the space; 16-D means 16 of them.",
    "sphere, torusN, torusC": "The spaces of the paper. On the sphere, raw numbers are divided by their common "
    "length. On torusN, each pair of raw numbers is divided by its own length, so that a pair becomes one angle. On "
    "torusC, each raw number wraps around by itself and is one angle.",
    "torusN-soft": "torusN as this library trains it by default: at first a short pair stays short, and only later "
    "becomes a whole angle. The paper does not have it.",
    "turn": "An angle, counted in whole turns from 0 to 1.",
    "precision at 1": "The share of test inputs whose nearest training input is of the same class.",
    "quantiser": "What makes a code of an embedding. 8bit, 4bit, 2bit and 1bit round each coordinate to that many "
    "bits. pq8x4 is product quantisation: the vector is cut into 4 pieces, and each is replaced by the nearest of "
    "2^8 = 256 prototypes. none keeps 32-bit floats. -sigma, -minmax, -plain and -published are variants.",
    "KoLeo": "A term of the loss that pushes embeddings apart, so that they fill the space; its weight says how "
    "strongly.",
    "seed": "The number that random choices begin with; runs that differ only in the seed show what is chance.",
}
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
        paragraph(INTRODUCTION),
        heading("How a torus works"),
        *(pictures[name] for name in figures_of(None)),
        heading("The words of the figures"),
        words(WORDS),
        heading("Images"),
        paragraph(_runs(images) + "."),
        *(pictures[name] for name in figures_of("images")),
        paragraph(READING),
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
        heading("Spaces and quantisers"),
        paragraph("What each space makes of 64 raw numbers:"),
        table(SPACE_COLUMNS, [facts.cells for facts in space_facts(64)]),
        paragraph("What each quantiser makes of an embedding on torusN with 64 raw numbers, which are 32 turns:"),
        table(COLUMNS, costs_table(("8bit", "4bit", "2bit", *PAPER[1:]), TorusN(64))),
    ]
    with replacing(folder / "index.html") as file:
        file.write(page("The paper Torus Embeddings, by one command", blocks).encode())
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
