"""Networks that stand before the head: inputs to features."""

from hypertorus.learn.encoders.by_name import encoder as encoder
from hypertorus.learn.encoders.by_name import encoder_from_config as encoder_from_config
from hypertorus.learn.encoders.protocol import Encoder as Encoder
