"""The card of a model: a README that says what it is and what precision each size of its codes gives.

It is written from the configuration of the model, and begins with the facts that the Hugging Face hub reads.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hypertorus.files.atomic import replacing
from hypertorus.spaces import Torus, space

CARD = "README.md"
ON_THE_HUB = {
    "cifar10": "uoft-cs/cifar10",
    "cifar100": "uoft-cs/cifar100",
    "fashion-mnist": "zalando-datasets/fashion_mnist",
}
"""What the hub calls the published data sets."""


def write_card(folder: Path, config: Mapping[str, Any], place: str = "path/of/this/folder") -> None:
    """Write the card of a model with this configuration into its folder; `place` is what `ht.load` takes."""
    with replacing(folder / CARD) as file:
        file.write(card(config, place).encode())


def card(config: Mapping[str, Any], place: str) -> str:
    """Return the text of a card.

    >>> facts = {"space": "torusN", "dim": 16, "shape": [20], "sound": None, "training": {}}
    >>> print(card(facts, "owls/calls")[:87])
    ---
    library_name: "hypertorus"
    tags: ["embeddings", "torus", "quantisation", "torusN"]
    <BLANKLINE>
    """
    training = config["training"]
    name = f"{config['space']}, {config['dim']} raw numbers"
    lines = ["---", *(f"{key}: {json.dumps(value)}" for key, value in _front(config).items()), "---", ""]
    lines += [f"# {name}, trained on {training['data']}" if "data" in training else f"# {name}", ""]
    if "test" in training:
        floats = f"{training['test']:.3f} as floats, by guessing {training['chance']:.3f}"
        lines += [
            f"Precision at 1 of test inputs among training inputs: {floats}. Its settings are in `config.json`.",
            "",
        ]
    if "sizes" in training:
        lines += [*_table(config), ""]
    example = ["import hypertorus as ht", "", f"model = ht.load({json.dumps(place)})", "codes = model.encode(inputs)"]
    return "\n".join([*lines, "```python", *example, "```", ""])


def _front(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts that the hub shows and searches; JSON is YAML, too."""
    training, images = config["training"], len(config["shape"]) == 3 and config["sound"] is None
    tags = ["embeddings", "torus", "quantisation", config["space"]] + (["audio"] if config["sound"] else [])
    front: dict[str, Any] = {"library_name": "hypertorus", "tags": tags}
    front["pipeline_tag"] = "image-feature-extraction" if images else "feature-extraction"
    if training.get("data") in ON_THE_HUB:
        front["datasets"] = [ON_THE_HUB[training["data"]]]
    if "test" in training:
        front["metrics"] = ["precision"]
    return front


def _table(config: Mapping[str, Any]) -> list[str]:
    torus = isinstance(space(config["space"], config["dim"]), Torus)
    if torus and config["training"].get("nested"):
        how = (
            "The model is nested: its first coordinates are an embedding, too. A code of 8 bits is cut to `a` "
            "coordinates of `n` bits by `codes[:, :a] >> (8 - n)`."
        )
    elif torus:
        how = "A code of 8 bits is cut to `n` bits by `codes >> (8 - n)`."
    else:
        how = "Codes are on a grid that was fitted to the training inputs."
    rows = [
        f"| {size['coordinates']} | {size['bits']} | {size['bytes']} | {size['precision']:.3f} |"
        for size in config["training"]["sizes"]
    ]
    return [how, "", "| coordinates | bits | bytes | precision at 1 |", "|---|---|---|---|", *rows]
