"""Opens what the page shows: an index of sounds, an index of codes, or a file of embeddings."""

from __future__ import annotations

from pathlib import Path

from hypertorus.embeddings.read import read_record
from hypertorus.explorer.collection import Collection
from hypertorus.explorer.images import Images
from hypertorus.integrations.texts import Texts
from hypertorus.models.model import Model, load
from hypertorus.search import Index, check_angles
from hypertorus.workbench import Items


def open_collection(
    place: Path, model: Path | None = None, images: Path | None = None, coder: Path | None = None
) -> tuple[Collection, Texts | None]:
    """Return the collection in a file or folder, and the text model if there is one to search it by texts.

    `model` is the folder of the model that made the codes, for images and texts; an index of sounds has its own.
    `images` is the folder of the images, and `coder` that of what makes codes of the vectors of a text model.
    """
    if place.is_dir():
        from hypertorus.explorer.sounds import Sounds
        from hypertorus.listen.index import SoundIndex

        if any(each is not None for each in (model, images, coder)):
            raise ValueError(f"{place} is an index of sounds, which has its own model; leave the other folder out.")
        return Sounds(SoundIndex.open(place), place), None
    if not place.exists():
        raise FileNotFoundError(f"there is no {place}; make one with: hypertorus sounds index RECORDINGS MODEL")
    index, items = _index(place)
    if images is not None:
        if not images.is_dir():
            raise FileNotFoundError(f"--images is {images}, which is not a folder; pass the folder of the images.")
        if coder is not None:
            raise ValueError(f"--coder is {coder}, which is for texts; leave it out.")
        return Images(index, items, place, images, _model(model, index)), None
    collection, texts = Collection(index, items, place, place.stem), _texts(index, model, coder)
    collection.network = None if texts is None else texts.network
    return collection, texts


def _index(place: Path) -> tuple[Index, Items]:
    """Return an index file as it is, and embeddings as an index in memory."""
    record = read_record(place)
    if record is None:
        opened = Index.open(place)
        check_angles(opened.metric)
        return opened, Items.of(opened)
    codes = record.codes()
    index = Index(codes.shape[1], record.bits or 8, record.metric or "cosine", model=record.model)
    index.add(record)
    return index, Items.of_embeddings(record)


def _texts(index: Index, model: Path | None, coder: Path | None) -> Texts | None:
    return None if model is None and coder is None else Texts(index, model, coder)


def _model(folder: Path | None, index: Index) -> Model | None:
    if folder is None:
        return None
    model = load(folder)
    if index.model not in (None, model.fingerprint):
        raise ValueError(f"{folder} is not the model that made the codes; pass that one.")
    return model
