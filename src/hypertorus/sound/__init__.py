"""Sound: waves from files, windows of equal length, and the ears that turn them into inputs of networks."""

from hypertorus.files.extras import require

require("torch", extra="train")

from hypertorus.sound.birdnet import BirdNet as BirdNet  # noqa: E402
from hypertorus.sound.chip import ChipSpectrogram as ChipSpectrogram  # noqa: E402
from hypertorus.sound.ear import Ear as Ear  # noqa: E402
from hypertorus.sound.ear import ear as ear  # noqa: E402
from hypertorus.sound.resonators import Resonators as Resonators  # noqa: E402
from hypertorus.sound.spectrogram import Spectrogram as Spectrogram  # noqa: E402
