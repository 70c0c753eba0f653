"""`python -m hypertorus`: the command, where it is not on the path."""

from hypertorus.cli import main

main()
