"""The cost of a distance on a microcontroller, next to other methods, and of learned words, on simulated boards."""

from hypertorus.boards.bench.measure import Cost as Cost
from hypertorus.boards.bench.measure import measure as measure
from hypertorus.boards.bench.methods import METHODS as METHODS
from hypertorus.boards.bench.methods import Method as Method
from hypertorus.boards.bench.words import WordsCost as WordsCost
from hypertorus.boards.bench.words import measure_words as measure_words
