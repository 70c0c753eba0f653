"""Embeddings on the torus: train them, store them as overflowing integers, search them exactly."""

from hypertorus.spaces import Space as Space
from hypertorus.spaces import Sphere as Sphere
from hypertorus.spaces import TorusC as TorusC
from hypertorus.spaces import TorusN as TorusN
from hypertorus.spaces import circular_variance as circular_variance
from hypertorus.spaces import mean_direction as mean_direction
from hypertorus.spaces import space as space

__version__ = "0.1.0"
