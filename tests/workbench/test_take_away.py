"""What was learnt leaves as prototypes that a microcontroller takes, and as a model with its classes."""

import numpy as np
import pytest

from hypertorus.embeddings import read_embeddings
from hypertorus.export import firmware, known_of_index
from hypertorus.models import Model, load
from hypertorus.models.encoders import encoder
from hypertorus.workbench import Items, Learner, example_record, open_classifiers, prototype_index, save_model
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
    (again,) = open_classifiers(tmp_path / "taken" / "classifiers.safetensors")
    examples = read_embeddings(tmp_path / "taken" / "classes.safetensors")
    assert (examples.classes, examples.model) == (("call", "none"), index.model)
    np.testing.assert_array_equal(examples.rows, call.examples.codes)
    np.testing.assert_array_equal(examples.label_names == "call", call.examples.yes)
    np.testing.assert_array_equal(again.scores(index), call.scores(index))
    with pytest.raises(ValueError, match="is not an empty folder"):
        save_model(load(tmp_path / "model"), [call], tmp_path / "taken")
    with pytest.raises(ValueError, match="codes of another model"):
        save_model(load(tmp_path / "model"), [learnt(archive)[3]], tmp_path / "other")


def test_a_yes_for_any_class_is_that_class(archive):
    _, _, learner, call = learnt(archive)
    keys = call.examples.keys
    other = learner.learn("other", {keys[0]: "no", keys[-1]: "yes"})
    record = example_record([call, other])
    named = dict(zip(record.names.tolist(), record.label_names.tolist(), strict=True))
    assert (named[keys[0]], named[keys[-1]], named[keys[-2]]) == ("call", "other", "none")
    assert len(record) == len(keys)
    assert record.groups.max() + 1 == len(np.unique(call.examples.recordings))
