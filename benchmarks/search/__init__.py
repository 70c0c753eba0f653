"""Exact torus search beside its peers: queries per second on the same data, in the same run."""
