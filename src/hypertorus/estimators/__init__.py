"""Torus codes and torus neighbours as scikit-learn estimators, for pipelines and grid searches."""

from hypertorus._extras import require

require("sklearn", extra="sklearn")

from hypertorus.estimators.classifier import TorusKNeighborsClassifier as TorusKNeighborsClassifier  # noqa: E402
from hypertorus.estimators.quantizer import TorusQuantizer as TorusQuantizer  # noqa: E402
