"""Measures embeddings and their codes: precision, recall, few-shot accuracy, and the cost of quantisation."""

from hypertorus.evaluation.enrolment import Enrolment as Enrolment
from hypertorus.evaluation.enrolment import EnrolmentScores as EnrolmentScores
from hypertorus.evaluation.enrolment import share_for_strangers as share_for_strangers
from hypertorus.evaluation.few_shot import FewShot as FewShot
from hypertorus.evaluation.few_shot import few_shot as few_shot
from hypertorus.evaluation.prototypes import CodePrototypes as CodePrototypes
from hypertorus.evaluation.prototypes import PointPrototypes as PointPrototypes
from hypertorus.evaluation.record import Evaluation as Evaluation
from hypertorus.evaluation.record import evaluate as evaluate
from hypertorus.evaluation.row import Row as Row
from hypertorus.evaluation.row import evaluate_codes as evaluate_codes
from hypertorus.evaluation.row import evaluate_split as evaluate_split
from hypertorus.evaluation.table import table as table
from hypertorus.evaluation.weighted_prototypes import WeightedPrototypes as WeightedPrototypes
