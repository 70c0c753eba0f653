"""Learned words in C: every answer, record and page of a session is Python's, and no cut of a save loses words."""

import re
from pathlib import Path

import numpy as np
import pytest

from hypertorus import Words
from hypertorus.boards import BOARDS
from hypertorus.classes import word_scores
from hypertorus.classes.word_scores import NO_WORD

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "native" / "tests" / "test_words.c"
DIM, CAPACITY, PAGE = 32, 3, 160
NONE, THRESHOLD = 0xFFFF, -200_000
SQUARES = np.arange(3 * DIM)
BACKGROUND = ((SQUARES * SQUARES * 37 + SQUARES * 11) >> 3).astype(np.uint8).reshape(3, DIM)


def printed_by(name, folder):
    board = BOARDS[name]
    if missing := board.missing_tools():
        pytest.skip(f"{name} needs {', '.join(missing)} (make setup-firmware)")
    return board.build([SOURCE], [], folder / f"{name}.elf", optimise="-O1" if name == "host" else "-O2").run()


class Session:
    """The session of test_words.c, played by Python on the same random numbers."""

    def __init__(self):
        self.state, self.lines, self.pages = 2463534242, list[str](), [b"", b""]

    def byte(self):
        for shift in (13, -17, 5):
            self.state ^= (self.state << shift if shift > 0 else self.state >> -shift) & 0xFFFFFFFF
        return self.state >> 11 & 255

    def near(self, centre, spread):
        return np.array([(number + (self.byte() & spread)) % 256 for number in centre], np.uint8)

    def ask(self, words, code):
        (any_place,), (score,) = words.judge(code[None])
        (place,), _ = words.judge(code[None], THRESHOLD)
        scores = np.full(CAPACITY + 1, NO_WORD)
        if len(words):
            known = word_scores(code[None], words.codes, words.likeness, words.background, words.metric, words.groups)
            scores[words.places] = known.scores
        self.show("match", any_place % 65_536, score % 2**32, place % 65_536, any_place % 65_536, *scores % 2**32)

    def show(self, what, *numbers):
        self.lines.append(" ".join(map(str, (what, *numbers))))

    def play(self, kind, save):
        background = BACKGROUND if kind & 2 else None
        spread, metric = 255 if kind & 4 else 31, "l1" if kind & 1 else "cosine"
        words = Words(DIM, CAPACITY, metric=metric, background=background, model=0xC0DE5EED)
        centres = [[self.byte() for _ in range(DIM)] for _ in range(CAPACITY)]
        self.ask(words, self.near(centres[0], spread))
        for number, centre in enumerate(centres):
            place = words.learn(np.stack([self.near(centre, spread) for _ in range(5)]))
            if number:
                words.rename(place, f"word{number}!")
            self.ask(words, self.near(centre, spread))
        self.show("records", *words.records.ravel())
        words.correct(2, np.stack([self.near(centres[2], spread) for _ in range(3)]))
        words.forget(1)
        self.show("records", *words.records.ravel())
        for place, name in words.names.items():
            self.show("word", place, words.examples[place], name)
        for centre in centres:
            self.ask(words, self.near(centre, spread))
            self.ask(words, self.near(centre, 255))
        for place in (0, 2):
            words.rename(place, "both")
        for centre in centres:
            self.ask(words, self.near(centre, spread))
        words.learn(np.stack([self.near(centres[1], spread) for _ in range(2)]))
        for centre in centres:
            self.ask(words, self.near(centre, spread))
        words.forget(1)
        for _ in range(PAGE + len(words.page())):  # what test_words.c draws for bits that a cut would tear
            self.byte()
        self.pages[save % 2] = words.page(save)


@pytest.fixture(scope="module")
def expected():
    session = Session()
    for kind in range(8):
        session.play(kind, save=kind)
    for page in session.pages:
        session.show("page", *page.ljust(PAGE, b"\xff"))
    return session.lines


@pytest.mark.parametrize("name", ["host", "atmega328p"])
def test_a_session_is_python_s_bit_for_bit_and_cuts_lose_nothing(name, tmp_path, expected):
    lines = printed_by(name, tmp_path).strip().splitlines()
    assert lines[: len(expected)] == expected
    *killed, record, code, failed = lines[len(expected) :]
    assert failed == "0 failed"
    cuts = [tuple(map(int, re.fullmatch(r"killed (\d+) (\d+)", line).groups())) for line in killed]
    assert len(cuts) == 4
    assert min(new for _, new in cuts) >= 1
    if name == "host":  # all bytes of a page are erased and those of three words written; in EEPROM only written
        assert all(old + new > least for (old, new), least in zip(cuts, (300, 140, 300, 300), strict=True))
        assert all(old >= 139 for old, _ in cuts)
    assert record.split()[1:] == [*code.split()[1:], "255", "255", *map(str, b"both\0\0")]


AROUND = """
#include "board.h"
#include <stdint.h>
#include <string.h>
static uint8_t memory[2][2048], tone;
static void hear(uint8_t *code) { memset(code, tone, 32); }
static void flash_erase(void *context, uint8_t page) { (void)context, memset(memory[page], 255, 2048); }
static void flash_write(void *context, uint8_t page, uint32_t offset, const uint8_t *bytes, uint8_t count) {
    (void)context, memcpy(memory[page] + offset, bytes, count);
}
static void flash_read(void *context, uint8_t page, uint32_t offset, uint8_t *bytes, uint8_t count) {
    (void)context, memcpy(bytes, memory[page] + offset, count);
}
BLOCK
int main(void) {
    board_begin(), begin();
    tone = 40, board_number(teach("low")), board_text(" ");
    tone = 140, board_number(teach("high")), board_text(" ");
    memset(records, 0, sizeof records), begin();
    for (tone = 45; tone < 200; tone += 50) board_number(listen()), board_text(" ");
    board_end();
}
"""


def test_the_program_of_the_document_learns_rejects_and_remembers(tmp_path):
    (block,) = re.findall(r"```c\n(.*?)```", (ROOT / "docs" / "words-on-a-chip.md").read_text(), re.DOTALL)
    (tmp_path / "program.c").write_text(AROUND.replace("BLOCK", block))
    program = BOARDS["host"].build(
        [tmp_path / "program.c"], [ROOT / "native"], tmp_path / "program.elf", optimise="-O1"
    )
    assert program.run().split() == ["0", "1", "0", str(NONE), "1", str(NONE)]
