"""Classifiers on disk: one safetensors file that says what it holds, with everything it takes to score and to grow.

Format version 1. Of classifier number i: `i.tables` (I32 [m, dim, 2^bits]), `i.offsets` (I32 [m]), and its examples:
`i.codes` (U8 [n, dim]), `i.yes` (BOOL [n]), `i.recordings` (I64 [n]), `i.keys`, all of them one after the other as
UTF-8 bytes, and where each ends, `i.key_ends`. Metadata, all strings: format, version, dim, bits, where it is known the
fingerprint of the model, `classes`, a JSON list of what else is known of each, and the CRC-32 of each tensor and of
all of this.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hypertorus.files.atomic import replacing
from hypertorus.files.names import RowNames
from hypertorus.files.tensors import TensorFile, TensorFileError, tensor_bytes
from hypertorus.search import Index
from hypertorus.workbench.classifier import Classifier
from hypertorus.workbench.examples import Examples
from hypertorus.workbench.left_out import Skill

FORMAT = "hypertorus-classifiers"
FORMAT_VERSION = "1"


def save_classifiers(classifiers: Iterable[Classifier], path: str | os.PathLike[str]) -> None:
    """Write classifiers of one model into one file, completely or not at all."""
    place, given = Path(path), list(classifiers)
    if place.suffix != ".safetensors":
        raise ValueError(f"the file is {place}; classifiers are written as .safetensors.")
    check_together(given)
    tensors: dict[str, npt.NDArray[Any]] = {}
    for number, one in enumerate(given):
        keys = RowNames.of(list(one.examples.keys))
        parts: dict[str, npt.NDArray[Any]] = {"tables": one.tables, "offsets": one.offsets, "codes": one.examples.codes}
        parts |= {"yes": one.examples.yes, "recordings": one.examples.recordings}
        parts |= {"keys": keys.text, "key_ends": keys.ends}
        tensors |= {f"{number}.{name}": tensor for name, tensor in parts.items()}
    metadata = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "classes": json.dumps([_facts(one) for one in given]),
    }
    metadata |= {"dim": str(given[0].dim), "bits": str(given[0].bits)}
    metadata |= {} if given[0].model is None else {"model": given[0].model}
    metadata |= {f"checksum.{name}": _checksum(tensor) for name, tensor in tensors.items()}
    metadata["checksum"] = _checksum_of_facts(metadata)
    with replacing(place) as file:
        file.writelines(tensor_bytes(tensors, metadata))


def open_classifiers(path: str | os.PathLike[str]) -> list[Classifier]:
    """Return the classifiers in a file, checked against its checksums."""
    place = Path(path)
    if not place.is_file():
        raise FileNotFoundError(f"there is no file {place}; pass one of classifiers.")
    file = TensorFile(place)
    if file.metadata.get("format") != FORMAT:
        raise TensorFileError(f"{place} does not hold classifiers; pass a file that was saved as such.")
    version = file.metadata.get("format_version")
    if version != FORMAT_VERSION:
        raise TensorFileError(f"{place} has format version {version!r:.20}, not {FORMAT_VERSION!r}; update hypertorus.")
    if file.metadata.get("checksum") != _checksum_of_facts(file.metadata):
        raise TensorFileError(f"{place} is damaged: the checksum of its metadata is wrong; learn the classes again.")
    for name in file:
        if file.metadata.get(f"checksum.{name}") != _checksum(file[name]):
            raise TensorFileError(f"{place} is damaged: the checksum of its {name} is wrong; learn the classes again.")
    try:
        bits, dim, model = int(file.metadata["bits"]), int(file.metadata["dim"]), file.metadata.get("model")
        facts = json.loads(file.metadata["classes"])
        return [_classifier(file, number, one, dim, bits, model) for number, one in enumerate(facts)]
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, RecursionError) as error:
        raise TensorFileError(f"{place} is damaged ({error}); learn the classes again.") from error


def check_together(classifiers: list[Classifier]) -> None:
    """Raise an error unless there are classifiers, of one model and shape, with different names."""
    if not classifiers:
        raise ValueError("there are no classifiers; learn at least one.")
    shapes = {(one.dim, one.bits) for one in classifiers}
    models = {one.model for one in classifiers} - {None}
    if len(shapes) > 1 or len(models) > 1:
        raise ValueError("these classifiers are of different models or codes; put together those of one.")
    names = [one.name for one in classifiers]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"two classifiers are named {twice!r}; give each class a name of its own.")


def _facts(one: Classifier) -> dict[str, Any]:
    facts: dict[str, Any] = {"name": one.name, "method": one.method, "yes_tables": one.yes_tables}
    facts |= {"boundary": one.boundary, "skill": one.skill and list(one.skill)}
    return facts | {"compared": [[name, *skill] for name, skill in one.compared]}


def _classifier(
    file: TensorFile, number: int, facts: Mapping[str, Any], dim: int, bits: int, model: str | None
) -> Classifier:
    tables, offsets, codes, yes, recordings = (
        np.array(file[f"{number}.{name}"]) for name in ("tables", "offsets", "codes", "yes", "recordings")
    )
    keys = RowNames(file[f"{number}.keys"], file[f"{number}.key_ends"])
    keys.check()
    Index(dim, bits).sums(tables)  # which are checked there
    count, listed = len(codes), keys.tolist()
    yes_tables, boundary = int(facts["yes_tables"]), int(facts["boundary"])
    shapes = {(count,)} == {yes.shape, recordings.shape} and codes.shape == (count, dim) and len(listed) in (0, count)
    kinds = [tensor.dtype.str[1:] for tensor in (tables, offsets, codes, yes, recordings)]
    types = kinds == ["i4", "i4", "u1", "b1", "i8"]
    if not shapes or not types or offsets.shape != (len(tables),) or not 1 <= yes_tables <= len(tables):
        raise ValueError(f"the tensors of class {number} do not belong together")
    if codes.max(initial=0) >= 2**bits or not isinstance(facts["name"], str):
        raise ValueError(f"the codes or the name of class {number} are wrong")
    skill = None if facts["skill"] is None else Skill(*map(float, facts["skill"]))
    compared = tuple((str(name), Skill(float(ap), float(auc))) for name, ap, auc in facts["compared"])
    examples = Examples(codes, bits, yes, recordings, tuple(listed))
    method = str(facts["method"])
    return Classifier(facts["name"], method, tables, offsets, yes_tables, boundary, examples, model, skill, compared)


def _checksum_of_facts(metadata: Mapping[str, str]) -> str:
    facts = {name: value for name, value in metadata.items() if name != "checksum"}
    return f"{zlib.crc32(json.dumps(facts, sort_keys=True).encode()):08x}"


def _checksum(tensor: npt.NDArray[Any]) -> str:
    return f"{zlib.crc32(np.ascontiguousarray(tensor).reshape(-1).view(np.uint8).data):08x}"
