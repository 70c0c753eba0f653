"""The page of `hypertorus demo`: pictures, sounds and sentences, their codes, and what these find, measured at once."""

from hypertorus.files.extras import require

for module, extra in {"lightning": "train", "sklearn": "sklearn", "soundfile": "audio", "matplotlib": "paper"}.items():
    require(module, extra=extra)
