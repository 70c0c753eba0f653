import dataclasses

import pytest
import torch

from hypertorus.losses.sound_views import SpectrogramViews

STILL = SpectrogramViews(louder=1, band_stripes=0, frame_stripes=0)


def generator(seed):
    return torch.Generator().manual_seed(seed)


def spectrograms(n=6, bands=128, frames=101):
    return torch.rand(n, 1, bands, frames, generator=generator(1)) + 0.1


def views_of(views, inputs, seed=0):
    drawn = views.draw(len(inputs), generator(seed))
    return views.view(views.mix(inputs, drawn, inputs), drawn)


def test_rolling_moves_each_input_by_its_own_number_of_frames():
    inputs = spectrograms(n=40)
    seen = views_of(STILL, inputs)
    shifts = []
    for before, after in zip(inputs, seen, strict=True):
        fits = [shift for shift in range(101) if torch.equal(after, before.roll(shift, dims=2))]
        assert len(fits) == 1
        shifts += fits
    assert len(set(shifts)) > 20
    assert max(shifts) > 80
    assert min(shifts) < 20


def test_a_mixture_is_mostly_the_input_itself_and_for_the_rest_another():
    inputs = torch.eye(50).view(50, 1, 50, 1)  # which inputs a mixture is of can be read off it
    seen = views_of(dataclasses.replace(STILL, louder=0.6), inputs)[:, 0, :, 0]
    torch.testing.assert_close(seen.sum(dim=1), torch.ones(50))
    own = seen.diagonal()
    assert own.min() >= 0.6
    assert (own < 0.7).any()
    assert ((own > 0.9) & (own < 1)).any()
    assert ((seen > 0).sum(dim=1) <= 2).all()
    others = (seen - own.diag()).argmax(dim=1)[own < 1]
    assert len(set(others.tolist())) == len(others)  # everybody is mixed in once


def test_stripes_are_as_many_and_as_wide_as_said():
    views = SpectrogramViews(louder=1)
    drawn = views.draw(300, generator(0))
    seen = views.view(spectrograms(n=300, frames=301), drawn)
    dark_bands = (seen == 0).all(dim=3)[:, 0]
    dark_frames = (seen == 0).all(dim=2)[:, 0]
    assert torch.equal(seen == 0, (dark_bands.unsqueeze(2) | dark_frames.unsqueeze(1)).unsqueeze(1))
    assert _stripes(dark_bands).max() == 3
    assert _stripes(dark_frames).max() == 5
    assert dark_bands.sum(dim=1).max() <= 3 * 9
    assert dark_frames.sum(dim=1).max() <= 5 * 29
    assert dark_bands.sum(dim=1).float().mean() == pytest.approx(3 * 4.5, rel=0.15)
    assert dark_frames.sum(dim=1).float().mean() == pytest.approx(5 * 14.5, rel=0.15)
    assert dark_bands.any(dim=0)[:-2].all()  # places are rounded down, as published, which spares the last
    assert dark_frames.any(dim=0)[:-2].all()


def _stripes(dark):
    """How many runs of darkness each row has."""
    return (dark[:, 1:] & ~dark[:, :-1]).sum(dim=1) + dark[:, 0]


def test_what_is_masked_may_be_the_mean_instead():
    views, inputs = SpectrogramViews(louder=1), spectrograms()
    drawn = views.draw(6, generator(4))
    dark = views.view(inputs, drawn)
    mean = dataclasses.replace(views, dark=0.5).view(inputs, drawn)
    torch.testing.assert_close(mean, torch.where(dark == 0, 0.5, dark))


def test_smaller_spectrograms_have_the_same_share_masked():
    assert SpectrogramViews.for_shape((1, 128, 301)) == SpectrogramViews()
    assert SpectrogramViews.for_shape((1, 128, 251)) == SpectrogramViews()
    small = SpectrogramViews.for_shape((1, 64, 101), dark=0.4)
    assert (small.bands, small.frames, small.dark) == (5, 12, 0.4)


def test_a_batch_in_two_pieces_is_mixed_and_seen_as_in_one():
    views, inputs = SpectrogramViews(), spectrograms()
    drawn = views.draw(6, generator(3))
    whole = views.view(views.mix(inputs, drawn, inputs), drawn)
    pieces = [
        views.view(views.mix(inputs[rows], drawn[rows], inputs), drawn[rows]) for rows in (slice(0, 3), slice(3, 6))
    ]
    torch.testing.assert_close(torch.cat(pieces), whole)


def test_the_inputs_themselves_stay_as_they_are():
    inputs = spectrograms()
    before = inputs.clone()
    views_of(SpectrogramViews(), inputs)
    assert torch.equal(inputs, before)
