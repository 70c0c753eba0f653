"""What a distance costs on a microcontroller, beside its peers: time, flash and RAM, counted on simulated boards."""

from hypertorus.boards.bench.measure import Cost as Cost
from hypertorus.boards.bench.measure import measure as measure
from hypertorus.boards.bench.methods import METHODS as METHODS
from hypertorus.boards.bench.methods import Method as Method
