"""Training: the torus where a network would normalise, and losses for it; everything that needs torch."""

from hypertorus._extras import require

require("torch", extra="train")

from hypertorus.learn.gather import gathered as gathered  # noqa: E402
from hypertorus.learn.gather import world_size as world_size  # noqa: E402
from hypertorus.learn.head import Head as Head  # noqa: E402
from hypertorus.learn.koleo import KoLeoLoss as KoLeoLoss  # noqa: E402
from hypertorus.learn.model import Model as Model  # noqa: E402
from hypertorus.learn.model import load as load  # noqa: E402
from hypertorus.learn.project import Project as Project  # noqa: E402
from hypertorus.learn.protoclr import ProtoCLRLoss as ProtoCLRLoss  # noqa: E402
