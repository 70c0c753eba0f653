"""What a distance costs on a microcontroller, beside its peers: time, flash and RAM, counted on simulated boards."""

from hypertorus.export.bench.measure import Cost as Cost
from hypertorus.export.bench.measure import measure as measure
from hypertorus.export.bench.methods import METHODS as METHODS
from hypertorus.export.bench.methods import Method as Method
