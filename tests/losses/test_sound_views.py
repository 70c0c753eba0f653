import math

import pytest
import torch

from hypertorus.losses.sound_levels import Equaliser, Mix, Noise, Swap
from hypertorus.losses.sound_places import Roll, Shift, Stripes, Warp
from hypertorus.losses.sound_views import PIECES, SpectrogramViews, spectrogram_views
from hypertorus.sound.ear import ear
from hypertorus.sound.spectrogram import KEYWORD, Spectrogram, mel
from hypertorus.training.settings import NAMED_VIEWS, VIEWS

EVERY = spectrogram_views(VIEWS, KEYWORD, dark=0.5)


def generator(seed):
    return torch.Generator().manual_seed(seed)


def spectrograms(n=6, bands=128, frames=101):
    return torch.rand(n, 1, bands, frames, generator=generator(1)) * 0.9 + 0.1


def views_of(views, inputs, seed=0):
    drawn = views.draw(len(inputs), generator(seed))
    return views.view(views.mix(inputs, drawn, inputs), drawn)


def one(rows):
    """A spectrogram of these rows of bands."""
    return torch.tensor(rows).view(1, 1, len(rows), -1)


def test_rolling_moves_each_input_by_its_own_number_of_frames():
    inputs = spectrograms(n=40)
    seen = views_of(Roll(), inputs)
    shifts = []
    for before, after in zip(inputs, seen, strict=True):
        fits = [shift for shift in range(101) if torch.equal(after, before.roll(shift, dims=2))]
        assert len(fits) == 1
        shifts += fits
    assert len(set(shifts)) > 20
    assert max(shifts) > 80
    assert min(shifts) < 20


@pytest.mark.parametrize(
    "number, expected",
    [(0.0, [3, 4, 5, 0, 0]), (0.5, [1, 2, 3, 4, 5]), (0.7, [0, 1, 2, 3, 4]), (0.99, [0, 0, 1, 2, 3])],
)
def test_a_shift_does_not_come_back_at_the_other_end(number, expected):
    seen = Shift(2).view(one([[0.1, 0.2, 0.3, 0.4, 0.5]]), torch.tensor([[number]]))
    torch.testing.assert_close(seen, one([[value / 10 for value in expected]]))


def test_a_shift_is_of_140_milliseconds():
    assert Shift.for_sound(KEYWORD, 0.0) == Shift(7)  # frames of 20 ms


def test_a_mixture_is_mostly_the_input_itself_and_for_the_rest_another():
    inputs = torch.eye(50).view(50, 1, 50, 1)  # which inputs a mixture is of can be read off it
    seen = views_of(Mix(louder=0.6), inputs)[:, 0, :, 0]
    torch.testing.assert_close(seen.sum(dim=1), torch.ones(50))
    own = seen.diagonal()
    assert own.min() >= 0.6
    assert (own < 0.7).any()
    assert ((own > 0.9) & (own < 1)).any()
    assert ((seen > 0).sum(dim=1) <= 2).all()
    others = (seen - own.diag()).argmax(dim=1)[own < 1]
    assert len(set(others.tolist())) == len(others)  # everybody is mixed in once


def test_swapped_means_of_bands_are_those_of_the_other_and_silence_stays():
    inputs = torch.cat([one([[1.0, 0.8], [0.6, 0.4]]), one([[0.5, 0.5], [0.9, 0.7]])])
    drawn = torch.tensor([[1, 0.1], [0, 0.9]])  # only the first is below the share
    seen = Swap(share=0.5).mix(inputs, drawn, inputs)
    # The bands of the first get means 0.5 and 0.8: [0.6, 0.4] and [0.9, 0.7]; then the loudest place is made 1.
    torch.testing.assert_close(seen, torch.cat([one([[0.7, 0.5], [1.0, 0.8]]), inputs[1:]]))
    quiet = torch.cat([one([[1.0, 0.0], [0.5, 0.0]]), one([[0.5, 0.5], [0.5, 0.5]])])
    torch.testing.assert_close(Swap(1.0).mix(quiet, drawn, quiet)[0], one([[1.0, 0.0], [0.75, 0.0]])[0])


def test_an_equaliser_changes_bands_by_decibels():
    views = Equaliser(bands=2, depth=30, decibels=3)
    seen = views.view(one([[0.8, 0.0], [0.5, 0.4]]), torch.tensor([[-1.0, 2.0]]))
    # 3 dB are a tenth of the range: [0.7, 0] and [0.7, 0.6], then the loudest is made 1.
    torch.testing.assert_close(seen, one([[1.0, 0.0], [1.0, 0.9]]))
    assert views.draw(1000, generator(0)).std().item() == pytest.approx(1, abs=0.05)


def test_noise_is_added_as_power_so_many_decibels_below_the_loudest():
    views = Noise(bands=1, frames=3, depth=40, loudest=10, quietest=30, rough=5)
    seen = views.view(one([[1.0, 0.5, 0.0]]), torch.tensor([[0.5, 0.0, 0.0, 1.0]]))[0, 0, 0]
    powers = [1 + 10**-2, 10**-2 + 10**-2, 10**-1.5]  # noise of -20 dB, and of -15 in the last place
    expected = [1 + 10 * math.log10(power / powers[0]) / 40 for power in powers]
    torch.testing.assert_close(seen, torch.tensor(expected))


def test_a_warp_stretches_time_about_the_middle_and_moves_frequencies():
    bands, frames = 40, 41
    ramp = torch.arange(1.0, frames + 1).repeat(bands, 1).view(1, 1, bands, frames) / 50
    slower = Warp((100, 4000), share=1, rate=1, tempo=1.25, tract=1).view(ramp, torch.tensor([[0, 0.5, 0.0, 0.5]]))
    middle = 21 / 50
    torch.testing.assert_close(slower, middle + (ramp - middle) / 1.25, atol=1e-4, rtol=0)
    faster = Warp((100, 4000), share=1, rate=1, tempo=1.25, tract=1).view(ramp, torch.tensor([[0, 0.5, 1 - 1e-9, 0.5]]))
    assert (faster[..., :4] == 0).all()
    assert (faster[..., -4:] == 0).all()
    torch.testing.assert_close(faster[..., 4:-4], (middle + (ramp - middle) * 1.25)[..., 4:-4], atol=1e-4, rtol=0)
    lowest, highest = mel(100), mel(4000)
    tones = [
        700 * (10 ** ((lowest + (highest - lowest) * (band + 1) / (bands + 1)) / 2595) - 1) for band in range(bands)
    ]
    tone = torch.zeros(1, 1, bands, frames)
    tone[:, :, 15] = 1
    moved = Warp((100, 4000), share=1, rate=1, tempo=1, tract=1.22).view(tone, torch.tensor([[0, 0.5, 0.5, 1 - 1e-9]]))
    heard = moved[0, 0, :, 20]
    assert abs((heard * torch.tensor(tones)).sum().item() / heard.sum().item() / (1.22 * tones[15]) - 1) < 0.03


def test_only_a_share_is_warped_and_the_others_are_the_same_bit_for_bit():
    inputs, views = spectrograms(n=200, bands=32, frames=50), Warp((80, 3900))
    same = (views_of(views, inputs) == inputs).flatten(1).all(dim=1)
    assert 70 < same.sum() < 130


def test_stripes_are_as_many_and_as_wide_as_said():
    seen = views_of(Stripes(), spectrograms(n=300, frames=301))
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
    inputs = spectrograms()
    dark, mean = views_of(Stripes(), inputs), views_of(Stripes(dark=0.5), inputs)
    torch.testing.assert_close(mean, torch.where(dark == 0, 0.5, dark))


def test_smaller_spectrograms_have_the_same_share_masked():
    assert Stripes.for_sound(Spectrogram(), 0.0) == Stripes()
    assert Stripes.for_sound(Spectrogram(seconds=5), 0.0) == Stripes()
    small = Stripes.for_sound(Spectrogram(seconds=2, bands=64), dark=0.4)
    assert (small.bands, small.frames, small.dark) == (5, 12, 0.4)


def test_the_names_of_the_settings_are_those_of_the_pieces():
    assert tuple(PIECES) == VIEWS
    assert {name for names in NAMED_VIEWS.values() for name in names.split(",") if name} <= set(VIEWS)


def test_pieces_are_applied_in_order_and_those_that_mix_first():
    inputs = spectrograms(bands=32, frames=50)
    views = SpectrogramViews((Roll(), Mix(), Stripes()))
    drawn = views.draw(6, generator(2))
    roll, mix, stripes = torch.split(drawn, [1, 2, 16], dim=1)
    expected = Stripes().view(Roll().view(Mix().mix(inputs, mix, inputs), roll), stripes)
    assert torch.equal(views.view(views.mix(inputs, drawn, inputs), drawn), expected)
    none = SpectrogramViews(())
    assert torch.equal(views_of(none, inputs), inputs)
    assert not none.mixes


def test_a_batch_in_two_pieces_is_mixed_and_seen_as_in_one():
    inputs = spectrograms(bands=32, frames=50)
    drawn = EVERY.draw(6, generator(3))
    whole = EVERY.view(EVERY.mix(inputs, drawn, inputs), drawn)
    pieces = [
        EVERY.view(EVERY.mix(inputs[rows], drawn[rows], inputs), drawn[rows]) for rows in (slice(0, 3), slice(3, 6))
    ]
    torch.testing.assert_close(torch.cat(pieces), whole)
    assert torch.equal(EVERY.draw(6, generator(3)), drawn)
    assert whole.min() >= 0
    assert whole.max() <= 1


def test_the_inputs_themselves_stay_as_they_are():
    inputs = spectrograms(bands=32, frames=50)
    before = inputs.clone()
    views_of(EVERY, inputs)
    for name in VIEWS:
        views_of(spectrogram_views([name], KEYWORD), inputs)
    assert torch.equal(inputs, before)


def test_views_of_a_chips_ears_are_those_of_spectrograms():
    assert spectrogram_views(VIEWS, ear({"kind": "chip"}), dark=0.5) == EVERY
    inputs = torch.rand(6, 1, 12, 25)
    seen = views_of(spectrogram_views(VIEWS, ear({"kind": "resonators"})), inputs)
    assert seen.shape == inputs.shape
    assert not torch.equal(seen, inputs)
    assert 0 <= seen.min() <= seen.max() <= 1
