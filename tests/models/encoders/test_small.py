import pytest
import torch
import torch.nn.functional as F

from hypertorus.models.encoders import encoder
from hypertorus.models.encoders.small import Small


def literal(weights, images, blocks, halve):
    """The network, written down layer by layer."""

    def norm(name, x):
        mean, var = weights[f"{name}.running_mean"], weights[f"{name}.running_var"]
        return F.batch_norm(x, mean, var, weights[f"{name}.weight"], weights[f"{name}.bias"])

    stride, padding = (2, 2) if halve else (1, 1)
    x = F.relu(norm("layers.1", F.conv2d(images, weights["layers.0.weight"], None, stride, padding)))
    layer = 3
    for stage, count in enumerate(blocks):
        for block in range(count):
            name, stride = f"layers.{layer}", 2 if stage > 0 and block == 0 else 1
            y = F.relu(norm(f"{name}.first_norm", F.conv2d(x, weights[f"{name}.first.weight"], None, stride, 1)))
            y = norm(f"{name}.second_norm", F.conv2d(y, weights[f"{name}.second.weight"], None, 1, 1))
            if stride == 2:
                x = norm(f"{name}.shortcut.1", F.conv2d(x, weights[f"{name}.shortcut.0.weight"], None, 2))
            x, layer = F.relu(x + y), layer + 1
    return norm("norm", F.adaptive_avg_pool2d(x, 1).flatten(1))


@pytest.mark.parametrize("halve", [True, False])
@pytest.mark.parametrize("shape", [(3, 32, 32), (1, 28, 28), (3, 4, 4), (1, 5, 17), (2, 8, 8)])
def test_it_is_the_residual_network_of_the_paper(shape, halve):
    torch.manual_seed(0)
    network = Small(shape[0], width=8, blocks=[1, 2, 1], halve=halve)
    network(torch.randn(16, *shape))  # so that the running statistics are not all zero and one
    images = torch.randn(3, *shape)
    with torch.inference_mode():
        torch.testing.assert_close(network.eval()(images), literal(network.state_dict(), images, [1, 2, 1], halve))


def test_it_is_small_and_keeps_its_channels_last_in_memory():
    network = encoder("small", (3, 32, 32))
    assert 300_000 < sum(weights.numel() for weights in network.parameters()) < 400_000
    kernels = [weights for weights in network.parameters() if weights.ndim == 4]
    assert all(kernel.is_contiguous(memory_format=torch.channels_last) for kernel in kernels)
