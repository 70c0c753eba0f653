"""Losses on unit-norm embeddings, and the views of inputs that they contrast."""

from hypertorus.files.extras import require

require("torch", extra="train")

from hypertorus.losses.gather import gathered as gathered  # noqa: E402
from hypertorus.losses.gather import world_size as world_size  # noqa: E402
from hypertorus.losses.koleo import KoLeoLoss as KoLeoLoss  # noqa: E402
from hypertorus.losses.neighbours import NeighboursLoss as NeighboursLoss  # noqa: E402
from hypertorus.losses.protoclr import ProtoCLRLoss as ProtoCLRLoss  # noqa: E402
from hypertorus.losses.proxies import ProxyLoss as ProxyLoss  # noqa: E402
