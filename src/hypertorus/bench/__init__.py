"""Search engines measured beside each other on the same codes, and what a measurement is recorded with."""
