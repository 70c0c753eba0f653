"""Models: an encoder, a head and the space they end in; everything from here on needs torch."""

from hypertorus.files.extras import require

require("torch", extra="train")

from hypertorus.models.head import Head as Head  # noqa: E402
from hypertorus.models.model import Model as Model  # noqa: E402
from hypertorus.models.model import load as load  # noqa: E402
from hypertorus.models.project import Project as Project  # noqa: E402
