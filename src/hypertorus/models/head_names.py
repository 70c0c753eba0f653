"""Names of the heads, without torch: settings and the command line show them."""

HEADS = ("two-layer", "linear", "none")
"""The names that `head_by_name` takes."""
