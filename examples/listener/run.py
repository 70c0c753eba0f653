"""A listener on microcontrollers: trained, exported, built, run under simulators, every answer compared with Python's.

python -m examples.listener.run                               # every board
python -m examples.listener.run --sounds spoken-digits/       # words of your own, by speakers
python -m examples.listener.run --board cortex-m4             # one board
python -m examples.listener.run --stream                      # every frame is computed once; boards of 32 bits

Without --sounds it hears the spoken digits in $HYPERTORUS_DATA, if they are there, and otherwise words of tones that it
makes. The network is not trained on the last two words and the last two speakers. One of these speakers teaches the
listener the first of the two words, and then says this word, words that it knows, and the other one, which is none of
these.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

import hypertorus as ht
from examples.listener.made_words import make_words
from examples.listener.tape import Samples, Tape, played, played_header, recorded
from hypertorus.boards import BOARDS, Board
from hypertorus.datasets.archive import data_folder
from hypertorus.datasets.sound_folder import read_sound_folder
from hypertorus.evaluation.enrolment import EnrolmentScores
from hypertorus.export.firmware import firmware
from hypertorus.export.folder import write_firmware
from hypertorus.export.from_model import integer_network_of
from hypertorus.export.known import Known, Labelled
from hypertorus.export.model_layers import device_inputs
from hypertorus.export.network import IntegerNetwork
from hypertorus.export.streamed import samples_after, streamed
from hypertorus.sound.chip_ear import ChipEar, int16
from hypertorus.training.ears import NEEDED

PROGRAM = Path(__file__).with_name("main.c")
LESSONS = 3
"""Examples of the new word: more would not fit an ATmega beside the program."""


FALSE_ACCEPTS = 0.3
"""Share of words never trained on that may pass when training speakers say them: with few words known and few trained
on, fewer false accepts would reject most of what is right."""


@dataclass(frozen=True)
class Listener:
    """A network, its ear, its words and what is played to it."""

    encoder: str
    known: Known
    records: npt.NDArray[np.uint8]
    """Records of the known words, as `ht.Words` has them."""
    threshold: int
    lessons: list[Samples]
    said: list[Samples]
    truth: list[int]
    """Number of the word that each clip is: that of a known word, one more for the learned one, -1 for the stranger."""

    @property
    def ear(self) -> ChipEar:
        assert self.known.ear is not None
        return self.known.ear

    @property
    def network(self) -> IntegerNetwork:
        assert self.known.network is not None
        return self.known.network

    def tape(self, first: int, last: int) -> Tape:
        """Return the tape with the lessons and the clips of these numbers."""
        clips = [*self.lessons, *self.said[first:last]]
        return Tape(
            [recorded(clip) for clip in clips],
            [len(clip) for clip in clips],
            len(self.lessons),
            self.records,
            self.threshold,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sounds", type=Path, help="folder of words by speakers")
    parser.add_argument("--tones", action="store_true", help="make words of tones, wherever there are spoken digits")
    parser.add_argument("--board", action="append", choices=BOARDS, help="one or several; without it all but host")
    parser.add_argument("--work", type=Path, default=Path("build/listener"), help="folder for models and programs")
    parser.add_argument("--encoder", default="keyword", help="encoder for boards of 32 bits, such as keyword:64")
    parser.add_argument("--dim", type=int, default=32, help="numbers of its embeddings")
    parser.add_argument("--epochs", type=int, help="epochs of training; without it 40, or 80 for words of tones")
    parser.add_argument("--stream", action="store_true", help="compute frames as they come, on boards of 32 bits")
    parser.add_argument("--json", type=Path, help="file for what was counted")
    options = parser.parse_args()
    usual = [name for name in BOARDS if name != "host" and not (options.stream and BOARDS[name].target == "avr")]
    boards = [BOARDS[name] for name in options.board or usual]
    if missing := sorted({package for board in boards for package in board.missing_tools()}):
        sys.exit(f"not installed: {' '.join(missing)}; run: make setup-firmware")
    torch.set_num_threads(1)
    sounds, epochs = options.sounds or (None if options.tones else spoken_digits()), 40
    if sounds is None:
        sounds, epochs = options.work / "sounds" / "tones", 80
        make_words(sounds)
    epochs = options.epochs or epochs
    print(f"Words of {sounds}, {epochs} epochs", flush=True)
    rows, listeners = [], dict[str, Listener]()
    for board in boards:
        encoder = encoder_of(board, options.encoder)
        dim = 32 if encoder == "keyword-1d" else options.dim
        if encoder not in listeners:
            out = options.work / sounds.name / f"{encoder}-{dim}-{epochs}"
            listeners[encoder] = listener(sounds, encoder, out, epochs=epochs, dim=dim, stream=options.stream)
        rows.append(hear(listeners[encoder], board, options.work / sounds.name / board.name, stream=options.stream))
        print("  ".join(f"{name} {value}" for name, value in rows[-1].items()), flush=True)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=2) + "\n")
    if wrong := sum(row["unlike Python"] for row in rows):
        sys.exit(f"{wrong} answers are not Python's.")


def spoken_digits() -> Path | None:
    """Return the folder of spoken digits among the published files, if somebody has put it there."""
    folder = data_folder() / "spoken-digits"
    return folder if folder.is_dir() else None


def encoder_of(board: Board, wide: str = "keyword") -> str:
    """Return the encoder that fits a board: `wide` unless it has 8 bits."""
    return "keyword-1d" if board.target == "avr" else wide


def listener(folder: Path, encoder: str, out: Path, *, epochs: int, dim: int = 32, stream: bool = False) -> Listener:
    """Return a listener that was trained on the words of a folder, or that is in `out` already.

    Its words and its threshold are those of windows or, with `stream`, of clips in a stream.
    """
    sounds = read_sound_folder(folder)
    whole, owners, ear = sounds.inputs({"kind": NEEDED[encoder.partition(":")[0]]})
    names = [Path(sounds.clips[owner].path).stem.rpartition("_")[0] for owner in owners]
    speakers, words = np.array(names), whole.labels.numpy()
    new, stranger = len(sounds.classes) - 2, len(sounds.classes) - 1
    mine = np.isin(speakers, sorted(set(names))[:-2])
    train = whole.take(np.flatnonzero(mine & (words < new)))
    test = whole.take(np.flatnonzero(~mine & (words < new)))
    data = ht.Data(sounds.name, train, test, sounds.classes, ear)
    model = ht.train(data, out, encoder=encoder, epochs=epochs, dim=dim, show=False)
    network = integer_network_of(model, device_inputs(model, data.train))

    def codes_of(rows: npt.NDArray[np.int64]) -> npt.NDArray[np.uint8]:
        if not stream:
            return network.encode(device_inputs(model, whole.take(rows)))
        waves = (sounds.clips[owners[row]].wave(ear.rate) for row in rows)
        heard = [int16(ear.windows(wave)[:1])[0] for wave in waves]
        return streamed(network, ear, np.stack(heard))  # type: ignore[arg-type]

    learnt = np.flatnonzero(mine & (words < new))
    codes, labels = codes_of(learnt), words[learnt]
    count = min(3, new) if encoder == "keyword-1d" else new  # words of more are too many bytes for an ATmega
    store = ht.Words(dim=network.dim, capacity=count, name_bytes=0)
    for word in range(count):
        store.learn(codes[labels == word][:255])
    none = store.judge(codes_of(np.flatnonzero(mine & (words >= new)))).scores
    threshold = EnrolmentScores(np.empty(0, np.int64), none).threshold(FALSE_ACCEPTS)
    speaker = max(names)
    clips = {
        word: [
            int16(sounds.clips[owners[row]].wave(ear.rate))[: ear.samples]  # type: ignore[attr-defined]
            for row in np.flatnonzero((speakers == speaker) & (words == word))[: LESSONS + 2]
        ]
        for word in (*range(count), new, stranger)
    }
    said = [
        (word if word < count else count if word == new else -1, clip) for word in clips for clip in clips[word][-2:]
    ]
    stored = Labelled(store.codes, np.arange(count))
    known = Known(sounds.name, stored, sounds.classes[:count], 8, network=network, ear=ear)  # type: ignore[arg-type]
    truth, played_clips = [word for word, _ in said], [clip for _, clip in said]
    return Listener(encoder, known, store.records, threshold, clips[new][:LESSONS], played_clips, truth)


def expected(who: Listener, tape: Tape, *, stream: bool = False) -> list[tuple[str, int]]:
    """Return the lines that a board prints for a tape, by Python's integers."""
    ear, network = who.ear, who.network
    store = ht.Words(dim=network.dim, capacity=len(tape.known) + 1, name_bytes=0)
    store.records[: len(tape.known)] = tape.known
    windows = np.stack(
        [in_the_middle(played(*clip), ear.samples) for clip in zip(tape.clips, tape.samples, strict=True)]
    )
    codes = streamed(network, ear, windows) if stream else network.encode(ear.bytes(windows).reshape(len(windows), -1))
    store.learn(codes[: tape.lessons])
    lines = list[tuple[str, int]]()
    for number, code in enumerate(codes):
        lines.append(("c", checksum(code)))
        if number >= tape.lessons:
            judged = store.judge(code[None], tape.threshold)
            lines += [("d", int(judged.scores[0]) % 2**32), ("w", int(judged.places[0]) % 2**16)]
    return lines


def in_the_middle(clip: Samples, samples: int) -> Samples:
    """Return a clip in a window of silence, as main.c plays it."""
    before = (samples - len(clip)) // 2
    return np.pad(clip, (before, samples - len(clip) - before))


def checksum(code: npt.NDArray[np.uint8]) -> int:
    """Return the FNV-1a checksum of a code."""
    total = 2166136261
    for byte in code.tolist():
        total = (total ^ byte) * 16777619 % 2**32
    return total


def hear(who: Listener, board: Board, work: Path, *, stream: bool = False) -> dict[str, Any]:
    """Play everything to a listener on a board, in as many rounds as flash needs, and return what was counted.

    With `stream` the network computes each frame as it comes, instead of windows when they are complete.
    """
    made = firmware(who.known, 1, board.target)
    write_firmware(made, work / "export", force=True)
    rounds, first, unlike, right = list[dict[str, Any]](), 0, 0, 0
    while first < len(who.said):
        program, last = _as_much_as_fits(who, board, work, first, stream=stream)
        tape = who.tape(first, last)
        printed = [(name, int(number)) for name, number in map(str.split, program.run(timeout=120).splitlines())]
        wanted = expected(who, tape, stream=stream)
        unlike += sum(one != other for one, other in zip(printed, wanted, strict=False))
        told = [number for name, number in printed if name == "w"]
        right += sum(word == truth % 2**16 for word, truth in zip(told, who.truth[first:last], strict=True))
        rounds.append(
            {**dict(printed), "clips": len(tape.clips), "flash": program.flash - tape.bytes, "ram": program.ram}
        )
        first = last
    clips = sum(done["clips"] for done in rounds)
    after = samples_after(who.network, who.ear) if stream else 0
    seconds = clips * (who.ear.samples + after) / who.ear.rate
    listening, thinking = (sum(done[letter] for done in rounds) for letter in "lt")
    answering = sum(done["a"] for done in rounds) / len(who.said) + sum(done.get("h", 0) for done in rounds) / clips
    # A stream thinks all the time, and an answer needs the head alone; a window is computed for every answer. What a
    # stream thinks is counted in the silence after a window, when all of the network is at work.
    thinking /= clips * after / who.ear.rate if stream else clips
    always, an_answer = listening / seconds, answering
    if stream:
        always += thinking
    else:
        an_answer += thinking
    return {
        "board": board.name,
        "encoder": who.encoder,
        "form": "stream" if stream else "windows",
        "clips": len(who.said),
        "right": right,
        "unlike Python": unlike,
        "unit": board.unit,
        "listen, a second": round(listening / seconds),
        "think, a second of it" if stream else "think, a window": round(thinking),
        "answer": round(answering),
        "learn a word": rounds[0]["e"],
        "one window a second": round(always + an_answer),
        "four": round(always + 4 * an_answer),
        "flash": max(done["flash"] for done in rounds),
        "RAM": max(done["ram"] + done["s"] for done in rounds),
    }


def _as_much_as_fits(who: Listener, board: Board, work: Path, first: int, *, stream: bool) -> tuple[Any, int]:
    """Return a program with the clips from number `first` on, as many as flash holds, and the number after the last."""
    try:
        return _build(who, board, who.tape(first, len(who.said)), work, stream=stream), len(who.said)
    except ValueError:
        last = first + 1
        room = board.flash - 64 - _build(who, board, who.tape(first, last), work, stream=stream).flash
        while last < len(who.said) and (room := room - (len(who.said[last]) + 1) // 2 - 6) > 0:
            last += 1
        return _build(who, board, who.tape(first, last), work, stream=stream), last


def _build(who: Listener, board: Board, tape: Tape, work: Path, *, stream: bool) -> Any:
    work.mkdir(parents=True, exist_ok=True)
    after = samples_after(who.network, who.ear) if stream else 0
    (work / "played.h").write_text(played_header(tape, who.ear, after))
    source, defines = work / "export" / "src", {"STREAM": 1} if stream else {}
    return board.build([PROGRAM, source / "model.c"], [work, source], work / "listener.elf", defines)


if __name__ == "__main__":
    main()
