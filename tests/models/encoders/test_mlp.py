import torch

from hypertorus.models.encoders.flatten import Flatten
from hypertorus.models.encoders.mlp import Mlp


def test_it_is_two_matrices_with_relu():
    network, images = Mlp(numbers=12, width=5), torch.randn(4, 3, 2, 2)
    first, first_bias, second, second_bias = network.parameters()
    hidden = (images.reshape(4, 12) @ first.T + first_bias).clamp(min=0)
    torch.testing.assert_close(network(images), (hidden @ second.T + second_bias).clamp(min=0))


def test_in_training_no_input_depends_on_another():
    network, inputs = Mlp(numbers=12, width=5).train(), torch.randn(4, 12)
    torch.testing.assert_close(network(inputs)[:1], network(inputs[:1]))


def test_none_is_the_inputs_in_their_order():
    images = torch.arange(12.0).reshape(1, 3, 2, 2)
    assert Flatten(12)(images).tolist() == [[float(number) for number in range(12)]]
    assert list(Flatten(12).parameters()) == []
