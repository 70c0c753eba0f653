"""Boards under their simulators: compile C for one, run it, count what it costs."""

from hypertorus.export.boards.board import Board as Board
from hypertorus.export.boards.by_name import BOARDS as BOARDS
from hypertorus.export.boards.program import Program as Program
