from importlib.util import find_spec

import pytest

from hypertorus.models.encoders import encoder, encoder_from_config

absent = pytest.mark.skipif(find_spec("timm") is not None, reason="timm is installed")


@absent
@pytest.mark.parametrize("name", ["timm:resnet18", "timm:resnet18,pretrained"])
def test_without_timm_the_install_is_named(name):
    with pytest.raises(ImportError, match=r"this needs timm.*pip install 'hypertorus\[timm\]'"):
        encoder(name, (3, 32, 32))


@absent
def test_a_model_folder_that_needs_timm_says_so():
    with pytest.raises(ImportError, match=r"pip install 'hypertorus\[timm\]'"):
        encoder_from_config({"kind": "timm", "name": "resnet18", "shape": [3, 32, 32]})


def test_only_pretrained_goes_after_the_comma():
    with pytest.raises(ValueError, match="put 'pretrained' after the comma"):
        encoder("timm:resnet18,big", (3, 32, 32))


def test_vectors_are_refused():
    with pytest.raises(ValueError, match="encoder 'timm:resnet18' takes images"):
        encoder("timm:resnet18", (20,))
