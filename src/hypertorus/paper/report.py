"""A page of everything: results, claims, tables, and the pictures that explain a torus."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from hypertorus.files.atomic import replacing
from hypertorus.paper.birdsong_results import BIRDSONG_FIGURES
from hypertorus.paper.claims import BIRDSONG_CLAIMS, CLAIMS, READING, Claims, findings
from hypertorus.paper.drawing import draw
from hypertorus.paper.experiments.birdsong.scales import AS_THEY_ARE, CHIRPS
from hypertorus.paper.experiments.experiment import Experiment, Progress
from hypertorus.paper.experiments.table import OK, runs_of
from hypertorus.paper.figures import FIGURES
from hypertorus.paper.results import RESULT_FIGURES
from hypertorus.paper.tables import QUANTISERS_HEAD, SPACES_HEAD, quantisers_table, spaces_table
from hypertorus.report.page import heading, page, paragraph, picture, table
from hypertorus.report.style import save

CAPTIONS = {
    "storage": "What bits buy: grid codes of all dimensions and depths, trained with a KoLeo weight of 0.001. Each "
    "line follows the best code of at most so many bits; bars are the standard deviation over seeds.",
    "precision": "Precision at 1 of embeddings as floats. Marks are means over seeds, bars their standard deviation; "
    "KoLeo weights grow from left to right within each dimension.",
    "quantised": "The same after each quantiser. pq8x4 is product quantisation with 4 pieces of 8 bits each.",
    "variance": "How evenly embeddings are spread: a circular variance of 0 is one point, 1 is as even as can be.",
    "scatter": "Two turns of test inputs, coloured by class, in torusN trained with growing KoLeo weights.",
    "birdsong": "Species the network never heard, told by one or five examples of each among all of a test set: "
    "accuracy over the size of the embedding. Grey is chance, dashed what there is without training.",
    "birdsong-codes": "The same as codes: five species, five examples of each. On a torus a species is the circular "
    "mean of its examples' codes, itself a code, and the nearest is found by adding integers.",
    "spaces": "The three spaces. A cloud of random raw numbers and, in black, a straight walk among them, "
    "as each space sees it. On a torus nothing has an edge: what leaves on one side comes back on the other.",
    "projections": "What the two projections make of a plane of two raw numbers. torusN keeps the angle and "
    "forgets the length; torusC wraps each number around by itself.",
    "steps": "One large gradient step, and one 15% larger, on the first circle and on the flat square. torusN projects "
    "it back, so that no step turns by a quarter or more; on torusC it winds around and may end anywhere, unless the "
    "gradient is clipped (here at 100, with a learning rate of 0.001).",
    "distances": "The curse of dimensionality: distances of 10,000 random pairs in growing dimension. In every space "
    "and by every metric they crowd around one value.",
    "contours": "Lines of equal distance from the origin on a torus of two circles, in the quarter next to it. The "
    "cosine of training is round nearby, as l2 is, and straight midway, as l1 is.",
}


def write_report(
    images: Experiment, folder: Path, birdsong: Experiment | None = None, progress: Progress | None = None
) -> Path:
    """Every figure as PNG and PDF in `folder`, and a page of them with tables and claims; returns the page's path."""
    experiments = {"images": images, **({"birdsong": birdsong} if birdsong else {})}
    names = [*RESULT_FIGURES, *(BIRDSONG_FIGURES if birdsong else ()), *FIGURES]
    pictures: dict[str, str] = {}
    for name in names:
        pictures[name] = _picture(name, folder, experiments)
        if progress:
            progress(len(pictures), len(names))
    blocks = [
        paragraph(_runs(images) + ", by the class of the nearest neighbour."),
        *(pictures[name] for name in RESULT_FIGURES),
        *_claims(images, CLAIMS),
    ]
    if birdsong:
        blocks += [
            heading("Birdsong"),
            paragraph(_runs(birdsong) + _synthetic(birdsong)),
            *(pictures[name] for name in BIRDSONG_FIGURES),
            *_claims(birdsong, BIRDSONG_CLAIMS),
        ]
    blocks += [
        paragraph(READING),
        heading("Spaces and quantisers"),
        table(SPACES_HEAD, spaces_table(64)),
        paragraph("On torusN with 64 raw numbers, 32 turns:"),
        table(QUANTISERS_HEAD, quantisers_table(64)),
        heading("How a torus works"),
        *(pictures[name] for name in FIGURES),
    ]
    with replacing(folder / "index.html") as file:
        file.write(page("Torus embeddings, by one command", blocks).encode())
    return folder / "index.html"


def _picture(name: str, folder: Path, experiments: Mapping[str, Experiment]) -> str:
    drawing = draw(name, experiments.__getitem__)
    for suffix in (".pdf", ".png"):
        save(drawing, folder / f"{name}{suffix}")
    return picture(folder / f"{name}.png", CAPTIONS[name])


def _runs(experiment: Experiment) -> str:
    runs = [row for row in runs_of(experiment.table) if row["trained"] not in AS_THEY_ARE]
    failed = sum(row["status"] != OK for row in runs)
    seconds = sum(row["seconds"] or 0 for row in runs)
    data = ", ".join(dict.fromkeys(row["data"] for row in runs))
    return (
        f"{len(runs)} training runs on {data} ({failed} failed; {_lasting(seconds)} of training), each measured as "
        "floats and with every quantiser"
    )


def _lasting(seconds: float) -> str:
    return f"{seconds / 60:.0f} minutes" if seconds >= 120 else f"{seconds:.0f} seconds"


def _synthetic(birdsong: Experiment) -> str:
    if {row["data"] for row in birdsong.table} != {CHIRPS}:
        return "."
    return ". These birds are synthetic: they show that everything works, and nothing about real ones."


def _claims(experiment: Experiment, claims: Claims) -> list[str]:
    blocks = []
    for whose, found in findings(experiment.table, claims).items():
        cells = [(each.claim, each.measured, each.verdict) for each in found]
        blocks += [heading(f"{whose}: claims, and what came out here"), table(("claim", "measured", "verdict"), cells)]
    return blocks
