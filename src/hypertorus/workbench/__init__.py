"""The workbench without a page: answers of people, classes learnt from them at once, and what they find in an index."""

from hypertorus.workbench.answers import ANSWERS as ANSWERS
from hypertorus.workbench.answers import Answer as Answer
from hypertorus.workbench.answers import Answers as Answers
from hypertorus.workbench.choices import WAYS as WAYS
from hypertorus.workbench.choices import Choice as Choice
from hypertorus.workbench.choices import choose as choose
from hypertorus.workbench.classifier import Classifier as Classifier
from hypertorus.workbench.counts import Counts as Counts
from hypertorus.workbench.counts import counts as counts
from hypertorus.workbench.counts import histogram as histogram
from hypertorus.workbench.estimate import Bands as Bands
from hypertorus.workbench.estimate import Estimate as Estimate
from hypertorus.workbench.file import open_classifiers as open_classifiers
from hypertorus.workbench.file import save_classifiers as save_classifiers
from hypertorus.workbench.items import Items as Items
from hypertorus.workbench.learner import Learner as Learner
from hypertorus.workbench.moments import Moment as Moment
from hypertorus.workbench.moments import moment_of as moment_of
from hypertorus.workbench.take_away import example_record as example_record
from hypertorus.workbench.take_away import prototype_index as prototype_index
from hypertorus.workbench.take_away import save_classes as save_classes
from hypertorus.workbench.take_away import save_model as save_model
