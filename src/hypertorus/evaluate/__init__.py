"""Neighbours to numbers: how good embeddings and their codes are at finding what belongs together."""

from hypertorus.evaluate.evaluate import Row as Row
from hypertorus.evaluate.evaluate import evaluate as evaluate
from hypertorus.evaluate.table import table as table
