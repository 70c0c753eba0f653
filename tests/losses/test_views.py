import dataclasses

import pytest
import torch

from hypertorus.losses.views import ImageViews, VectorViews

STILL = ImageViews(smallest=1, stretch=1, degrees=0, jittered=0, grey=0)


def images(n=6, channels=3, side=16):
    return torch.randint(0, 256, (n, channels, side, side), dtype=torch.uint8, generator=generator(1))


def generator(seed):
    return torch.Generator().manual_seed(seed)


def views_of(views, inputs, seed=0):
    return views.view(inputs, views.draw(len(inputs), generator(seed)))


@pytest.mark.parametrize("channels", [1, 3])
def test_a_view_that_may_change_nothing_is_the_image(channels):
    inputs = images(channels=channels)
    torch.testing.assert_close(views_of(STILL, inputs), inputs / 255, atol=1e-5, rtol=0)


def test_a_crop_keeps_at_least_the_smallest_share_and_magnifies_it():
    # An image whose brightness is its place from left to right: what a crop shows of it is a straight line.
    side = 64
    ramp = torch.linspace(0, 1, side).expand(50, 1, side, side)
    crop = dataclasses.replace(STILL, smallest=0.25)
    shown = views_of(crop, ramp)[:, 0, side // 2]
    share = shown[:, -1] - shown[:, 0]
    assert share.min() > 0.49  # of the width: the root of the share of the area
    assert share.max() < 1.01
    assert share.std() > 0.1
    straight = shown[:, :1] + share[:, None] * torch.linspace(0, 1, side)
    torch.testing.assert_close(shown, straight, atol=0.02, rtol=0)
    assert shown.min() >= 0
    assert shown.max() <= 1


def test_a_crop_may_be_wider_than_high():
    side = 64
    across = torch.linspace(0, 1, side).expand(50, 1, side, side)
    crop = dataclasses.replace(STILL, smallest=0.5, stretch=4 / 3)
    wide, high = (views_of(crop, ramp)[:, 0] for ramp in (across, across.transpose(2, 3)))
    ratio = (wide[:, 32, -1] - wide[:, 32, 0]) / (high[:, -1, 32] - high[:, 0, 32])
    assert ratio.min() > 0.73
    assert ratio.max() < 1.36
    assert ratio.std() > 0.05


def test_a_rotation_turns_the_gradient_of_a_ramp_by_at_most_its_degrees():
    side = 64
    ramp = torch.linspace(0, 1, side).expand(50, 1, side, side)
    turned = views_of(dataclasses.replace(STILL, degrees=30), ramp)[:, 0, 24:40, 24:40]
    across, down = turned.diff(dim=2).mean(dim=(1, 2)), turned.diff(dim=1).mean(dim=(1, 2))
    degrees = torch.rad2deg(torch.atan2(down, across))
    assert degrees.abs().max() < 31
    assert degrees.std() > 10


def test_greyscale_takes_the_luminance():
    inputs = images()
    grey = views_of(dataclasses.replace(STILL, grey=1), inputs)
    luminance = torch.einsum("c,nchw->nhw", torch.tensor([0.299, 0.587, 0.114]), inputs / 255)
    for channel in range(3):
        torch.testing.assert_close(grey[:, channel], luminance, atol=2e-3, rtol=0)


def test_jitter_leaves_the_luminance_of_a_grey_image_in_order_and_changes_its_level():
    inputs = images(n=40, channels=1).expand(-1, 3, -1, -1)
    seen = views_of(dataclasses.replace(STILL, jittered=1), inputs)
    torch.testing.assert_close(seen[:, 0], seen[:, 2], atol=2e-3, rtol=0)  # hue and saturation do not colour grey
    level = seen.mean(dim=(1, 2, 3)) / (inputs / 255).mean(dim=(1, 2, 3))
    assert level.std() > 0.1
    assert level.min() > 0.5
    assert level.max() < 1.45


def test_hue_turns_red_towards_its_neighbours():
    red = torch.zeros(40, 3, 4, 4)
    red[:, 0] = 0.6
    seen = views_of(dataclasses.replace(STILL, jittered=1, jitter=0, hue=1 / 3), red)
    assert (seen[:, 1] > 0.3).any()
    assert (seen[:, 2] > 0.3).any()


@pytest.mark.parametrize("channels", [1, 3])
def test_views_are_images(channels):
    seen = views_of(ImageViews(smallest=0.1, jitter=1, hue=0.5), images(50, channels))
    assert seen.isfinite().all()
    assert 0 <= seen.min() <= seen.max() <= 1


@pytest.mark.parametrize("views, inputs", [(ImageViews(), images()), (VectorViews(torch.ones(5)), torch.zeros(6, 5))])
def test_a_batch_in_two_pieces_is_seen_as_in_one(views, inputs):
    drawn = views.draw(6, generator(3))
    whole = views.view(inputs, drawn)
    pieces = [views.view(inputs[rows], drawn[rows]) for rows in (slice(0, 3), slice(3, 6))]
    torch.testing.assert_close(torch.cat(pieces), whole)


def test_noise_has_the_deviation_of_each_feature():
    noise = torch.tensor([0.0, 0.5, 2.0])
    seen = views_of(VectorViews(noise), torch.full((20_000, 3), 7.0))
    torch.testing.assert_close(seen.mean(dim=0), torch.full((3,), 7.0), atol=0.06, rtol=0)
    torch.testing.assert_close(seen.std(dim=0), noise, atol=0.03, rtol=0)
