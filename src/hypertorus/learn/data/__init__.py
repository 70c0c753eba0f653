"""What `learn` learns from: images and vectors with labels, wherever they lie."""

from hypertorus.learn.data.data import Data as Data
from hypertorus.learn.data.part import InMemory as InMemory
from hypertorus.learn.data.part import Part as Part
from hypertorus.learn.data.read import read_data as read_data
