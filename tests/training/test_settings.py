from dataclasses import replace

import pytest
import torch

from hypertorus.training.contrast import contrast
from hypertorus.training.module import _optimiser
from hypertorus.training.settings import LOSSES, OPTIMISERS, Settings


@pytest.mark.parametrize(
    "wrong, sentence",
    [
        ({"space": "cube"}, "cube"),
        ({"dim": 15}, "even"),
        ({"loss": "mse"}, "loss is 'mse'; choose one of supcon, simclr, protoclr, triplet, neighbours."),
        ({"optimiser": "lion"}, "adam, adamw, sgd"),
        ({"schedule": "step"}, "cosine, one-cycle, plateau, constant"),
        ({"clip_by": "length"}, "value, norm"),
        ({"precision": "8"}, "auto, 32-true, 16-mixed, bf16-mixed"),
        ({"epochs": 0}, "epochs is 0; it must be at least 1."),
        ({"batch": 1}, "at least 2 inputs"),
        ({"lr": 0}, "lr is 0; it must be above 0."),
        ({"lr": float("nan")}, "lr is nan"),
        ({"koleo": -1}, "koleo is -1"),
        ({"ema": 1}, "ema is 1"),
        ({"crop": 2}, "crop is 2"),
        ({"soft": 2}, "soft is 2; it must be from 0"),
        ({"head": "three"}, "head is 'three'; choose one of two-layer, linear, none."),
        ({"validation": 1}, "validation is 1; it is a share"),
        ({"views": "mix,echo"}, "views has 'echo'; choose published, words, none, or some of mix, swap"),
        ({"synthetic_words": True, "proxies": 1.0}, "synthetic words have none"),
        ({"start": "zero"}, "random, pca"),
        ({"start": "pca"}, "which is for a linear head, but head is .two-layer."),
    ],
)
def test_a_setting_that_cannot_be_is_refused_with_a_sentence(wrong, sentence):
    with pytest.raises(ValueError, match=sentence.replace("(", r"\(")):
        Settings(**wrong)


def test_an_encoder_brings_its_recipe_unless_something_else_is_given():
    words = Settings.chosen(encoder="keyword:64", dim=64, loss="supcon")
    assert (words.dim, words.loss, words.schedule, words.views) == (64, "supcon", "one-cycle", "words")
    assert Settings.chosen(dim=8) == Settings(dim=8)
    assert Settings(views="roll,mix").view_names == ("roll", "mix")
    assert Settings(views="none").view_names == ()


def test_ready_made_vectors_begin_at_their_principal_components_unless_another_head_is_given():
    own = Settings.chosen(vectors=True)
    assert (own.encoder, own.head, own.start, own.lr, own.dim) == ("none", "linear", "pca", 1e-4, 256)
    assert Settings.chosen(vectors=True, dim=8, lr=0.1) == replace(own, dim=8, lr=0.1)
    assert Settings.chosen(vectors=True, encoder="root") == replace(own, encoder="root")
    for given in ({"head": "two-layer"}, {"start": "random"}, {"encoder": "mlp"}):
        assert Settings.chosen(vectors=True, **given) == Settings(**given)


@pytest.mark.parametrize(
    "given, temperature",
    [
        ({}, 0.15),
        ({"soft": 0.0}, 0.1),
        ({"loss": "protoclr"}, 0.1),
        ({"space": "sphere"}, 0.1),
        ({"space": "torusC"}, 0.1),
        ({"temperature": 0.07}, 0.07),
    ],
)
def test_the_temperature_is_the_published_one_but_for_supcon_on_soft_torus_n(given, temperature):
    settings = Settings(**given)
    assert settings.temperature == settings.as_dict()["temperature"] == temperature
    assert Settings(**settings.as_dict()) == settings


@pytest.mark.parametrize("loss", LOSSES)
def test_every_loss_can_be_chosen(loss):
    points = torch.nn.functional.normalize(torch.randn(8, 4), dim=1)
    target = torch.randn(8, 5) if loss == "neighbours" else torch.arange(8) % 2
    assert contrast(Settings(loss=loss))(points, points.roll(1, 0), target).isfinite()


@pytest.mark.parametrize("name", OPTIMISERS)
def test_every_optimiser_can_be_chosen(name):
    groups = [{"params": torch.nn.Linear(2, 2).parameters()}]
    assert type(_optimiser(groups, Settings(optimiser=name))).__name__.lower() == name
