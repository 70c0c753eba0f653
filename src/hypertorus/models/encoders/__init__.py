"""Networks that stand before the head: inputs to features."""

from hypertorus.models.encoders.by_name import encoder as encoder
from hypertorus.models.encoders.by_name import encoder_from_config as encoder_from_config
from hypertorus.models.encoders.protocol import Encoder as Encoder
