"""Boards under their simulators: compile C for one, run it, count what it costs."""

from hypertorus.boards.board import Board as Board
from hypertorus.boards.by_name import BOARDS as BOARDS
from hypertorus.boards.program import Program as Program
