"""A fuzzer for the readers of other files: whatever the bytes, it is an answer or one sentence, in little memory.

python tests/files/fuzz_readers.py --seconds 60 --seed 1      random damage to files of every kind
python tests/files/fuzz_readers.py --guided CORPUS            guided by what the readers do (needs atheris, from pip)
"""

import argparse
import io
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from hypertorus.embeddings import read_embeddings
from hypertorus.files.arrays import Arrays
from hypertorus.models import Model, load
from hypertorus.models.encoders import encoder
from hypertorus.sound.wave import read_wave, seconds_of

REFUSED = (ValueError, OSError, TypeError, ImportError)
"""What the command line turns into one sentence."""
ROWS = np.random.default_rng(0).random((9, 4)).astype(np.float32)
MEMORY = 3 * 2**30


def read_arrays(path):
    for array in Arrays(path).values():
        assert np.asarray(array).nbytes < 10**9


def read_sound(path):
    seconds_of(path)
    assert len(read_wave(path, 16_000, 0, 3)) < 10**6


def read_model(path):
    """A folder whose `config.json`, or whose weights, are these bytes."""
    with tempfile.TemporaryDirectory() as folder:
        model().save(folder)
        (Path(folder) / ("config.json" if path.suffix == ".config" else "model.safetensors")).write_bytes(
            path.read_bytes()
        )
        load(folder)


def model():
    return Model(encoder("mlp:4", (6,)), (6,), 4, "torusN", classes=("owl", "wren"))


def seeds():
    """A sound file of every kind, and its reader, by suffix."""
    import soundfile

    found = {}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        np.save(folder / "a.npy", ROWS)
        np.savez(folder / "a.npz", vectors=ROWS, labels=np.arange(9))
        (folder / "a.csv").write_text("label,x0,x1\n" + "".join(f"owl,{a},{b}\n" for a, b, *_ in ROWS))
        (folder / "a.fbin").write_bytes(np.array([9, 4], "<u4").tobytes() + ROWS.tobytes())
        (folder / "a.fvecs").write_bytes(b"".join(np.int32(4).tobytes() + row.tobytes() for row in ROWS))
        for suffix in (".wav", ".flac", ".ogg"):
            soundfile.write(folder / f"a{suffix}", np.sin(np.arange(4000) / 9), 8000)
        model().save(folder / "model")
        for path in folder.glob("a.*"):
            found[path.suffix] = (
                path.read_bytes(),
                read_sound if path.suffix in (".wav", ".flac", ".ogg") else read_arrays,
            )
        found[".config"] = (folder / "model" / "config.json").read_bytes(), read_model
        found[".safetensors"] = (folder / "model" / "model.safetensors").read_bytes(), read_model
        record = io.BytesIO()
        np.savez(record, points=ROWS, labels=np.arange(9))
        found["-points.npz"] = record.getvalue(), read_embeddings
    return found


def mutate(data, rng):
    data = bytearray(data)
    for _ in range(rng.integers(1, 4)):
        kind, at = rng.integers(6), int(rng.integers(len(data))) if data else 0
        if not data:
            break
        if kind == 0:
            data[at] ^= 1 << rng.integers(8)
        elif kind == 1:
            del data[at : at + int(rng.choice([1, 4, 100, 10**6]))]
        elif kind == 2:
            data[at:at] = rng.bytes(rng.integers(1, 30))
        elif kind == 3:
            data[at : at + 4] = int(rng.choice([0, 1, 2**16, 2**31 - 1, 2**32 - 1])).to_bytes(4, "little")
        elif kind == 4:
            digits = [place for place, byte in enumerate(data) if chr(byte).isdigit()]
            if digits:
                place = digits[rng.integers(len(digits))]
                data[place : place + 1] = str(rng.choice(["-1", "0", "9" * 12, "1e400", "nan", "2147483648"])).encode()
        else:
            data[at : at + 8] = (2**63 - 1, 2**64 - 1, 2**40)[rng.integers(3)].to_bytes(8, "little")
    return bytes(data)


def attempt(path, read):
    """Whether a file was refused; an error that is not one of ours, or that is no sentence, ends the run."""
    try:
        read(path)
    except REFUSED as error:
        assert len(str(error)) < 3000, error  # noqa: PT017
        return True
    return False


def limit_memory():
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (max(MEMORY, 2 * _virtual()), resource.RLIM_INFINITY))


def _virtual():
    return int(Path("/proc/self/statm").read_text().split()[0]) * 4096


def fuzz(seconds, seed, folder):
    """How many damaged files were tried, and how many of them were refused."""
    rng, kinds = np.random.default_rng(seed), seeds()
    tried = refused = 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for suffix, (whole, read) in kinds.items():
            path = folder / f"a{suffix}"
            path.write_bytes(mutate(whole, rng))
            try:
                refused += attempt(path, read)
            except BaseException:
                kept = Path(tempfile.gettempdir()) / f"refused-{seed}-{tried}{suffix}"
                kept.write_bytes(path.read_bytes())
                sys.stderr.write(f"the file is kept as {kept}\n")
                raise
            tried += 1
    return tried, refused


def guided(corpus):
    """Let atheris look for bytes that the readers do not refuse properly; the first byte chooses the reader."""
    import atheris

    kinds = list(seeds().items())
    folder = Path(tempfile.mkdtemp())
    Path(corpus).mkdir(parents=True, exist_ok=True)
    for number, (_, (whole, _)) in enumerate(kinds):
        (Path(corpus) / f"seed-{number}").write_bytes(bytes([number]) + whole)

    def one_input(data):
        suffix, (_, read) = kinds[(data[0] if data else 0) % len(kinds)]
        path = folder / f"a{suffix}"
        path.write_bytes(data[1:])
        attempt(path, read)

    atheris.instrument_all()
    atheris.Setup([sys.argv[0], corpus, *sys.argv[3:]], one_input)
    atheris.Fuzz()


def main():
    if "--guided" in sys.argv:
        guided(sys.argv[sys.argv.index("--guided") + 1])
        return
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    arguments = parser.parse_args()
    limit_memory()
    with tempfile.TemporaryDirectory() as folder:
        tried, refused = fuzz(arguments.seconds, arguments.seed, Path(folder))
    print(f"seed {arguments.seed}: {tried} damaged files of other kinds, {refused} refused in a sentence each")  # noqa: T201


if __name__ == "__main__":
    main()
