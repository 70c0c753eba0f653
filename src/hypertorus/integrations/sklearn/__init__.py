"""Torus codes and nearest neighbours as scikit-learn estimators, for pipelines and grid searches."""

from hypertorus.files.extras import require

require("sklearn", extra="sklearn")

from hypertorus.integrations.sklearn.classifier import TorusKNeighborsClassifier as TorusKNeighborsClassifier  # noqa: E402
from hypertorus.integrations.sklearn.coder import NeighbourCoder as NeighbourCoder  # noqa: E402
from hypertorus.integrations.sklearn.quantizer import TorusQuantizer as TorusQuantizer  # noqa: E402
