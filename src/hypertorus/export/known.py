"""What a device is to know: codes with their classes and perhaps the network that makes them, of a model or an index."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hypertorus.codes.protocol import Codes
from hypertorus.export.network import IntegerNetwork
from hypertorus.export.prototypes import Labels
from hypertorus.search import Index, search
from hypertorus.spaces import Torus

if TYPE_CHECKING:
    from hypertorus.learn.data import Data


@dataclass(frozen=True)
class Known:
    """Codes [n, dim] of `bits` bits with the number of their class, and codes to judge by.

    Of an index there are none but its own to judge by: `test_codes` is None.
    """

    name: str
    codes: Codes
    labels: Labels
    classes: tuple[str, ...]
    bits: int
    network: IntegerNetwork | None = None
    scaling: npt.NDArray[np.float64] | None = None
    """Of vectors, the mean and the deviation of each number, [numbers, 2]."""
    test_codes: Codes | None = None
    test_labels: Labels | None = None
    float_accuracy: float | None = None
    """Accuracy of the test inputs among all codes, by the model in floats, where `codes` are of its integer network."""

    @property
    def dim(self) -> int:
        return int(self.codes.shape[1])

    def accuracy_of_all(self) -> float:
        """The share of test codes whose nearest code is of their class; of an index, of its codes among the others."""
        if self.test_codes is not None:
            return nearest_accuracy(self.codes, self.labels, self.test_codes, self.test_labels, self.bits)
        found = search(self.codes, self.codes, k=min(2, len(self.codes)), metric="l1", bits=self.bits).ids
        other = np.where(found[:, 0] == np.arange(len(found)), found[:, -1], found[:, 0])
        return float((self.labels[other] == self.labels).mean())


def nearest_accuracy(codes: Codes, labels: Any, queries: Codes, wanted: Any, bits: int) -> float:
    nearest = search(codes, queries, k=1, metric="l1", bits=bits).ids[:, 0]
    return float((labels[nearest] == wanted).mean())


def known_of_index(path: Path, bits: int | None, leave_out: str | None = None) -> Known:
    """All codes of an index file, of as many bits or fewer than they have there."""
    index = Index.open(path)
    labels = index.labels
    if labels is None:
        raise ValueError(f"{path} has no labels, and a device is to say what it saw; add them: index build --labels.")
    if len(index) == 0:
        raise ValueError(f"{path} holds no codes; add some first.")
    kept = index.bits if bits is None else bits
    if kept > index.bits:
        raise ValueError(f"--bits is {kept}, and the codes of {path} have {index.bits}; bits can only be left out.")
    names, numbers = np.unique(labels, return_inverse=True)
    codes = index.vectors(index.ids) >> (index.bits - kept)
    known = Known(path.name, codes, numbers.astype(np.int64), tuple(map(str, names)), kept)
    return without(known, leave_out)


def known_of_model(
    folder: Path,
    bits: int | None,
    *,
    encoder: bool,
    read: Callable[..., Data],
    data: str | None = None,
    leave_out: str | None = None,
    **reading: Any,
) -> Known:
    """The codes of a model's training data, by the integer network if the `encoder` goes along, else by the model.

    The data are those of the training, or `data`; `read` is `read_data` or the like, which also takes `reading`.
    """
    from hypertorus.export.from_model import check_exportable, device_inputs, layers, scaling
    from hypertorus.export.quantise import integer_network
    from hypertorus.learn import load
    from hypertorus.learn.model_folder import read_config

    config = read_config(folder)
    model = load(folder)
    if not isinstance(model.space, Torus):
        raise ValueError(  # noqa: TRY004
            f"{folder} lives on the sphere, whose codes do not wrap around; train it with --space torusN or torusC."
        )
    if encoder:
        check_exportable(model)
    source = data or str(config["training"].get("data", ""))
    if not source:
        raise ValueError(f"{folder} does not say what it was trained on; name it with --data.")
    if model.sound is not None:
        reading["sound"] = model.sound.as_dict()
    found = read(source, **reading)
    if found.train.shape != model.shape:
        raise ValueError(f"inputs of {source} have shape {found.train.shape}, and {folder} takes {model.shape}.")
    kept, parts = 8 if bits is None else bits, (found.train, found.test)
    known = Known(
        _name(folder),
        *(model.encode(found.train, kept), found.train.labels.numpy(), found.classes, kept),
        test_codes=model.encode(found.test, kept),
        test_labels=found.test.labels.numpy(),
    )
    known = without(known, leave_out)
    if not encoder:
        return known
    inputs = [device_inputs(model, part) for part in parts]
    network = integer_network(layers(model), model.space_name, inputs[0])
    codes = [network.encode(part, kept) for part in inputs]
    whole = Known(
        _name(folder),
        *(codes[0], found.train.labels.numpy(), found.classes, kept, network, scaling(model)),
        test_codes=codes[1],
        test_labels=found.test.labels.numpy(),
        float_accuracy=known.accuracy_of_all(),
    )
    return without(whole, leave_out)


def _name(folder: Path) -> str:
    return Path(os.path.abspath(folder)).name  # noqa: PTH100


def without(known: Known, label: str | None) -> Known:
    """The same without the codes of one class, which a device may then learn."""
    from dataclasses import replace

    if label is None:
        return known
    if label not in known.classes or len(known.classes) == 1:
        raise ValueError(f"--leave-out is {label!r}; the classes are {', '.join(known.classes)}.")
    gone = known.classes.index(label)
    kept = known.labels != gone
    changed = replace(
        known,
        codes=known.codes[kept],
        labels=known.labels[kept] - (known.labels[kept] > gone),
        classes=known.classes[:gone] + known.classes[gone + 1 :],
    )
    if known.test_codes is None or known.test_labels is None:
        return changed
    tested = known.test_labels != gone
    labels = known.test_labels[tested]
    return replace(changed, test_codes=known.test_codes[tested], test_labels=labels - (labels > gone))
