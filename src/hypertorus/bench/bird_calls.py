"""One bird call among others: species that a network never heard, each enrolled from five recordings, by the chip.

The network learns from BirdNET, which listens to the clips of other species and to variations of them.

The folder has a folder for each species, with files named `recording_number.ogg`. A call is enrolled from five
recordings and judged by clips of others, one of each recording. Species of fewer than six recordings train the network.
Of the others, every third one fixes the threshold, and settings were chosen by these as well; all further ones are
reported. So what is reported was neither trained on nor looked at.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hypertorus.codes.protocol import Codes
from hypertorus.datasets import Data
from hypertorus.datasets.part import Part
from hypertorus.datasets.sound_folder import read_sound_folder
from hypertorus.datasets.variations import write_variations
from hypertorus.embeddings.file import write_embeddings
from hypertorus.evaluation.enrolment import Enrolment, EnrolmentScores
from hypertorus.evaluation.prototypes import CodePrototypes
from hypertorus.export.from_model import integer_network_of
from hypertorus.export.model_layers import device_inputs
from hypertorus.models import Model
from hypertorus.models.sound_vectors import BIRDNET, sound_vectors
from hypertorus.sound.clip import Clip
from hypertorus.sound.ear import Ear
from hypertorus.training.one_call import train

KIND = "bird-call"
EAR: dict[str, Any] = {
    "kind": "chip",
    "rate": 16_000,
    "hop": 256,
    "bands": 36,
    "frames": 187,
    "lowest": 300.0,
    "highest": 7800.0,
    "depth": 32.0,
}
"""Three seconds, in bands where birds sing."""
SETTINGS: dict[str, Any] = {
    "encoder": "keyword:64",
    "dim": 64,
    "loss": "neighbours",
    "views": "roll",
    "batch": 128,
    "epochs": 25,
}
TIMES = 8
"""Variations of each training clip."""
SHOTS, EPISODES = 5, 500
LEFT_TO_TRAINING = ("CARW", "COYE", "NOCA", "RWBL", "SPTO")
"""Species of another public set of birds, which was tried as further training data and did harm; never reported."""


class Calls(NamedTuple):
    """The clips of a folder by what they are for; those that are not for training are one of each recording."""

    training: Part
    fixing: Part
    reported: Part
    classes: tuple[str, ...]
    ear: Ear


def measured_calls(folder: Path, seed: int, work: Path, teacher: Mapping[str, Any] = BIRDNET) -> dict[str, Any]:
    """Return how well calls are told from others; the network is trained in `work` unless it is there.

    `teacher` is the ear whose vectors of the training clips, and of variations of them, the network learns.
    """
    calls = calls_of(folder)
    model = _trained(folder, calls, seed, work, teacher)
    network = integer_network_of(model, device_inputs(model, calls.training))

    def codes(part: Part) -> Codes:
        return network.encode(device_inputs(model, part))

    background = CodePrototypes(bits=8).fit(codes(calls.training), calls.training.labels.numpy()).codes
    known, new = (call_scores(codes(part), part, background, seed) for part in (calls.fixing, calls.reported))
    threshold = known.best_threshold()
    return {
        "kind": KIND,
        "seed": seed,
        "species": {name: len(np.unique(getattr(calls, name).labels)) for name in ("training", "fixing", "reported")},
        "balanced_accuracy": new.balanced_accuracy(threshold),
        "true_accepts": new.true_accepts(threshold),
        "false_accepts": new.false_accepts(threshold),
        "balanced_accuracy_where_fixed": known.balanced_accuracy(threshold),
    }


def _trained(folder: Path, calls: Calls, seed: int, work: Path, teacher: Mapping[str, Any]) -> Model:
    """Return a model that was trained on variations of the training clips and on what the teacher hears in them."""
    varied, vectors = work / f"{KIND}s", work / f"{KIND}s.safetensors"
    if not varied.exists():
        names = np.unique(calls.training.columns.names).tolist()  # type: ignore[arg-type]
        clips = [Clip(str(folder / name)) for name in names]
        write_variations(clips, names, varied, TIMES, seconds=calls.ear.seconds, rate=EAR["rate"])
    if not vectors.exists():
        write_embeddings(sound_vectors(varied, teacher), vectors)
    sounds = read_sound_folder(varied)
    inputs, _, ear = sounds.inputs(EAR)
    # Its test part has to be of trained species; what it gives is not looked at.
    data = Data(sounds.name, inputs, inputs, sounds.classes, ear)
    return train(data, work / f"{KIND}-{seed}", seed=seed, show=False, teacher=str(vectors), **SETTINGS)


def calls_of(folder: Path) -> Calls:
    """Return all windows of the species for training, and the first of each recording of the others."""
    sounds = read_sound_folder(folder)
    whole, _, ear = sounds.inputs(EAR)
    assert whole.groups is not None
    first = np.unique(whole.groups.numpy(), return_index=True)[1]
    labels = whole.labels.numpy()[first]
    counts = np.bincount(labels, minlength=len(sounds.classes))
    names = np.array(sounds.classes)
    calls = np.flatnonzero((counts > SHOTS) & ~np.isin(names, LEFT_TO_TRAINING))
    if len(calls) < 6:
        raise ValueError(f"{folder} has {len(calls)} species of more than {SHOTS} recordings; pass one with 6 or more.")
    fixing, reported = calls[::3], np.delete(calls, np.s_[::3])
    training = whole.take(np.flatnonzero(~np.isin(whole.labels.numpy(), calls)))
    one_each = [whole.take(first[np.isin(labels, some)]) for some in (fixing, reported)]
    return Calls(training, one_each[0], one_each[1], sounds.classes, ear)


def call_scores(codes: Codes, part: Part, background: Codes, seed: int) -> EnrolmentScores:
    """Return the scores where a call is enrolled from five recordings and all other clips of a part are heard."""
    one_place: npt.NDArray[np.int64] = np.zeros(len(part), np.int64)
    enrolment = Enrolment(words=1, shots=SHOTS, apart=True, background=background)
    return enrolment.scores(codes, part.labels.numpy(), one_place, episodes=EPISODES, seed=seed)
