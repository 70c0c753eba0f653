"""Simulated boards: compile C for a board, run it, and count its cost."""

from hypertorus.boards.board import Board as Board
from hypertorus.boards.by_name import BOARDS as BOARDS
from hypertorus.boards.program import Program as Program
