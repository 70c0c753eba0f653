"""What was learnt leaves as prototypes that a microcontroller takes, and as a model with its classes."""

import numpy as np
import pytest

from hypertorus.export import firmware, known_of_index
from hypertorus.models import Model, load
from hypertorus.models.encoders import encoder
from hypertorus.workbench import Items, Learner, open_classifiers, prototype_index, save_model
from hypertorus.workbench.take_away import NOTHING


def learnt(archive, model=None):
    index, is_call = archive()
    index.model = model or index.model
    items, learner = Items.of(index), Learner(index)
    rows = [*np.flatnonzero(is_call)[:10], *np.flatnonzero(~is_call)[:20]]
    call = learner.learn("call", {items.key(row): "yes" if is_call[row] else "no" for row in rows})
    return index, is_call, learner, call


def test_prototypes_are_exported_as_c(tmp_path, archive):
    index, is_call, learner, call = learnt(archive)
    prototypes = prototype_index([call], learner.background)
    assert set(prototypes.labels) == {"call", NOTHING}
    nearest = prototypes.search(index.vectors(index.ids), k=1).labels[:, 0]
    assert (nearest[is_call] == "call").mean() > 0.9
    prototypes.save(tmp_path / "prototypes.index")
    made = firmware(known_of_index(tmp_path / "prototypes.index"), None, "portable")
    assert made.known.classes == ("call", NOTHING)


def test_a_model_leaves_with_its_classes(tmp_path, archive):
    model = Model(encoder("none", (4,)), (4,), 32, "torusN")
    model.save(tmp_path / "model")
    index, _, _, call = learnt(archive, load(tmp_path / "model").fingerprint)
    save_model(load(tmp_path / "model"), [call], tmp_path / "taken")
    assert load(tmp_path / "taken").fingerprint == index.model
    (again,) = open_classifiers(tmp_path / "taken" / "classes.safetensors")
    np.testing.assert_array_equal(again.scores(index), call.scores(index))
    with pytest.raises(ValueError, match="is not an empty folder"):
        save_model(load(tmp_path / "model"), [call], tmp_path / "taken")
    with pytest.raises(ValueError, match="codes of another model"):
        save_model(load(tmp_path / "model"), [learnt(archive)[3]], tmp_path / "other")
