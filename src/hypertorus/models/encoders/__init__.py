"""Encoders: networks that turn inputs into features for the head."""

from typing import TYPE_CHECKING

from hypertorus.files.extras import lazy_names
from hypertorus.models.encoders.by_name import encoder as encoder
from hypertorus.models.encoders.by_name import encoder_from_config as encoder_from_config

if TYPE_CHECKING:
    from hypertorus.models.encoders.protocol import Encoder as Encoder
else:
    __getattr__ = lazy_names(__name__, {"Encoder": "protocol"}, needs="torch", extra="train")
