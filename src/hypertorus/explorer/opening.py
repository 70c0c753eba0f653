"""Opens what the page shows: an index of sounds, an index of codes, or a file of embeddings."""

from __future__ import annotations

from pathlib import Path

from hypertorus.embeddings.read import read_record
from hypertorus.explorer.collection import Collection
from hypertorus.explorer.images import Images
from hypertorus.explorer.sentences import Sentences
from hypertorus.models.model import Model, load
from hypertorus.search import Index
from hypertorus.workbench import Items


def open_collection(
    place: Path, model: Path | None = None, images: Path | None = None
) -> tuple[Collection, Sentences | None]:
    """Return the collection in a file or folder, and the text model if there is one to search it by texts.

    `model` is the folder of the model that made the codes, for images and texts; an index of sounds has its own.
    `images` is the folder of the images.
    """
    if place.is_dir():
        from hypertorus.explorer.sounds import Sounds
        from hypertorus.listen.index import SoundIndex

        if model is not None or images is not None:
            raise ValueError(f"{place} is an index of sounds, which has its own model; leave the other folder out.")
        return Sounds(SoundIndex.open(place), place), None
    if not place.exists():
        raise FileNotFoundError(f"there is no {place}; make one with: hypertorus sounds index RECORDINGS MODEL")
    index, items = _index(place)
    if images is not None:
        if not images.is_dir():
            raise FileNotFoundError(f"--images is {images}, which is not a folder; pass the folder of the images.")
        return Images(index, items, place, images, _model(model, index)), None
    return Collection(index, items, place, place.stem), None if model is None else Sentences(model, index)


def _index(place: Path) -> tuple[Index, Items]:
    """Return an index file as it is, and embeddings as an index in memory."""
    record = read_record(place)
    if record is None:
        opened = Index.open(place)
        return opened, Items.of(opened)
    codes = record.codes()
    index = Index(codes.shape[1], record.bits or 8, record.metric or "cosine", model=record.model)
    index.add(record)
    return index, Items.of_embeddings(record)


def _model(folder: Path | None, index: Index) -> Model | None:
    if folder is None:
        return None
    model = load(folder)
    if index.model not in (None, model.fingerprint):
        raise ValueError(f"{folder} is not the model that made the codes; pass that one.")
    return model
