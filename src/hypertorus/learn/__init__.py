"""Training: everything that needs torch."""

from hypertorus._extras import require

require("torch", extra="train")

from hypertorus.learn.project import Project as Project  # noqa: E402
