"""Sounds: find a call by example.

It writes short recordings of six made-up birds, trains a model on them, and then searches a longer recording, which the
model has not heard, for a call of which it has one example. It prints the seconds of the recording that are most like
the example, when the bird really calls, and the folder of the recordings, to listen to.
"""

import tempfile
from pathlib import Path

import numpy as np
import numpy.typing as npt
import soundfile

import hypertorus as ht

RATE, BIRDS = 16_000, {"low": 900, "rise": 1500, "mid": 2200, "reed": 3000, "high": 4200, "thin": 6000}
rng = np.random.default_rng(0)
folder = Path(tempfile.mkdtemp())


def call(bird: str) -> npt.NDArray[np.float64]:
    """Return a second of a bird: a whistle that rises and trembles as only this one does, over noise."""
    seconds, pitch = np.arange(RATE) / RATE, BIRDS[bird] * rng.uniform(0.97, 1.03)
    phase = pitch * seconds + pitch / 20 * seconds**2 + pitch / 200 * np.sin(pitch / 60 * seconds)
    return 0.5 * np.sin(2 * np.pi * phase) * np.sin(np.pi * seconds) + 0.05 * rng.normal(size=RATE)


for bird in BIRDS:
    (folder / "clips" / bird).mkdir(parents=True)
    for number in range(10):
        soundfile.write(folder / "clips" / bird / f"{number}.wav", call(bird), RATE)
scene = rng.choice(list(BIRDS), 60)  # a minute of all birds in turn, one a second
(folder / "card").mkdir()
soundfile.write(folder / "card" / "dawn.wav", np.concatenate([call(bird) for bird in scene]), RATE)

data = ht.data(str(folder / "clips"), sound={"seconds": 1.0})
ht.train(data, folder / "model", encoder="bands", dim=32, epochs=10, batch=20, show=False)
sounds = ht.SoundIndex.build(folder / "card", folder / "model")
found = sounds.search(folder / "clips" / "reed" / "0.wav", k=8)
for match in found:
    print(f"{match.path} from {match.start:.0f} s to {match.end:.0f} s at distance {match.distance:.3f}")
print("The bird calls at", ", ".join(map(str, np.flatnonzero(scene == "reed"))), "s.")
print("The recordings are in", folder)
