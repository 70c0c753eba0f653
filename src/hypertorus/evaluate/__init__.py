"""Neighbours to numbers: how good embeddings and their codes are at finding what belongs together."""

from hypertorus.evaluate.evaluate import Row as Row
from hypertorus.evaluate.evaluate import evaluate_codes as evaluate_codes
from hypertorus.evaluate.evaluate import evaluate_split as evaluate_split
from hypertorus.evaluate.few_shot import FewShot as FewShot
from hypertorus.evaluate.few_shot import few_shot as few_shot
from hypertorus.evaluate.prototypes import CodePrototypes as CodePrototypes
from hypertorus.evaluate.prototypes import PointPrototypes as PointPrototypes
from hypertorus.evaluate.record import Evaluation as Evaluation
from hypertorus.evaluate.record import evaluate as evaluate
from hypertorus.evaluate.table import table as table
