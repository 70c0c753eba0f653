"""What holds for every test: nothing is asked of the internet, small matrices stay on one core, and Ctrl-C works."""

import os
import signal
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from itertools import pairwise

import numpy as np
import pytest

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ.setdefault("OMP_NUM_THREADS", "1")
# What a shell begins in the background ignores Ctrl-C, and so would every command that a test begins and interrupts.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def unmeasured():
    """The environment without coverage, whose tracer may wait for its own lock for ever when it is interrupted."""
    return {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}


@pytest.fixture(scope="session")
def run_here():
    """The command without a process of its own, which would take seconds to import what it needs."""
    from hypertorus.cli import main

    def run(*arguments):
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("COLUMNS", "100")
            patch.setattr(sys, "argv", ["hypertorus", *map(str, arguments)])
            with (
                redirect_stdout(StringIO()) as stdout,
                redirect_stderr(StringIO()) as stderr,
                pytest.raises(SystemExit) as end,
            ):
                main()
        code, said = end.value.code, stderr.getvalue()
        if isinstance(code, str):  # what Python prints of it, and how it ends
            code, said = 1, f"{said}{code}\n"
        return subprocess.CompletedProcess(arguments, code or 0, stdout.getvalue(), said)

    return run


@pytest.fixture
def random_known():
    """A network of random weights, with codes of random inputs: seed, space, widths -> (known, inputs)."""
    from hypertorus.export.known import Known, Labelled
    from hypertorus.export.quantise import Dense, integer_network

    def layers(rng, widths, spread):
        return [
            Dense(rng.normal(size=(rows, columns)) * spread, rng.normal(size=rows) * spread * 100)
            for columns, rows in pairwise(widths)
        ]

    def make(seed, space, widths, bits=8, *, signed=False):
        rng = np.random.default_rng(seed)
        low, high, kind = (-128, 128, np.int8) if signed else (0, 256, np.uint8)
        inputs = rng.integers(low, high, size=(60, widths[0])).astype(kind)
        spread = 10.0 ** rng.uniform(-3, 1)
        network = integer_network(layers(rng, widths, spread), space, inputs)
        extreme = np.array([[low] * widths[0], [high - 1] * widths[0], [0] * widths[0]], kind)
        inputs = np.concatenate([inputs, extreme])
        codes, labels = network.encode(inputs, bits), np.arange(len(inputs)) % 3
        return Known("random", Labelled(codes, labels), ("a", "bb", "ccc"), bits, network=network), inputs

    return make


@pytest.fixture
def random_keyword():
    """A model that hears pictures, of random weights: seed, space, encoder, shape -> (model, known, inputs)."""
    import torch

    from hypertorus.export.from_model import integer_network_of
    from hypertorus.export.known import Known, Labelled
    from hypertorus.models import Model
    from hypertorus.models.encoders import encoder_from_config

    def make(seed, space, config, frames, *, dim=8, head="linear", bits=8, count=12):
        torch.manual_seed(seed)
        shape = (1, config["bands"], frames)
        model = Model(encoder_from_config(config), shape, dim, space, head=head, mean=[0.31], std=[0.22])
        pictures = torch.rand(64, *shape) * torch.rand(64, 1, 1, 1)
        for module in model.encoder.modules():
            if isinstance(module, torch.nn.BatchNorm1d | torch.nn.BatchNorm2d):
                module.momentum = None  # the running statistics are those of the pictures
                if module.affine:
                    torch.nn.init.uniform_(module.weight, 0.5, 1.5)
                    torch.nn.init.normal_(module.bias, std=0.3)
        model.train().features(pictures)
        model.eval()
        inputs = (pictures * 255).round().to(torch.uint8).flatten(1).numpy()
        network = integer_network_of(model, inputs)
        extreme = np.stack([np.full_like(inputs[0], byte) for byte in (0, 255)])
        inputs = np.concatenate([inputs[:count], extreme])
        codes, labels = network.encode(inputs, bits), np.arange(len(inputs)) % 3
        return model, Known("random", Labelled(codes, labels), ("a", "bb", "ccc"), bits, network=network), inputs

    return make


@pytest.fixture(scope="session")
def text_folder(tmp_path_factory):
    """A sentence-transformers model of one layer with random weights, as the library lays out a folder."""
    pytest.importorskip("sentence_transformers")
    import json

    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import BertConfig, BertModel

    folder = tmp_path_factory.mktemp("text") / "model"
    words = [
        "[PAD]",
        "[UNK]",
        "[CLS]",
        "[SEP]",
        *["a", "red", "green", "blue", "bird", "fish", "sings", "swims", "loud", "deep", "in", "the", "sea", "sky"],
    ]
    tokenizer = Tokenizer(models.WordLevel({word: place for place, word in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing("[CLS] $A [SEP]", None, [("[CLS]", 2), ("[SEP]", 3)])
    torch.manual_seed(0)
    sizes = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
    config = BertConfig(vocab_size=len(words), max_position_embeddings=12, **sizes)
    BertModel(config).save_pretrained(folder)
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(
        '{"tokenizer_class": "PreTrainedTokenizerFast", "pad_token": "[PAD]"}'
    )
    (folder / "sentence_bert_config.json").write_text('{"max_seq_length": 8}')
    (folder / "1_Pooling").mkdir()
    pooling = {"word_embedding_dimension": 16, "pooling_mode_mean_tokens": True}
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(pooling))
    kinds = (("Transformer", ""), ("Pooling", "1_Pooling"), ("Normalize", "2_Normalize"))
    modules = [
        {"idx": place, "name": str(place), "path": path, "type": f"sentence_transformers.models.{kind}"}
        for place, (kind, path) in enumerate(kinds)
    ]
    (folder / "modules.json").write_text(json.dumps(modules))
    return folder
