from hypertorus.models.encoders import encoder
from hypertorus.models.fitting import fitting
from hypertorus.models.model import Model
from hypertorus.sound.ear import ear


def model(shape, sound=None):
    return Model(encoder("mlp:8", shape), shape, dim=4, space="torusN", sound=sound)


def test_images_in_a_folder_are_made_to_fit(tmp_path):
    assert fitting(model((3, 24, 24)), str(tmp_path)) == {"size": 24}
    assert fitting(model((3, 24, 24)), "hf:somebody/birds") == {"size": 24}
    assert fitting(model((3, 24, 24)), str(tmp_path / "images.npz")) == {}


def test_a_data_set_by_name_is_no_folder_even_where_there_is_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "digits").mkdir()
    assert fitting(model((1, 8, 8)), "digits") == {}


def test_sounds_are_heard_as_the_model_hears(tmp_path):
    heard = ear({"seconds": 1.0, "bands": 16})
    assert fitting(model(heard.shape, heard), str(tmp_path)) == {"sound": heard.as_dict()}
