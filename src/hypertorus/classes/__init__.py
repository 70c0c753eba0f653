"""Classes from a few examples each, without training: means of their codes, and "none of these" by distance."""

from hypertorus.classes.classes import Classes as Classes
from hypertorus.classes.classes import Judgements as Judgements
from hypertorus.classes.read import read_classes as read_classes
