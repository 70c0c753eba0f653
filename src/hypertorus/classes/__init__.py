"""Classes from a few examples each, without training: means of their codes, and "none of these" by distance."""

from hypertorus.classes.classes import Classes as Classes
from hypertorus.classes.classes import Judgements as Judgements
from hypertorus.classes.read import read_classes as read_classes
from hypertorus.classes.word_scores import word_scores as word_scores
from hypertorus.classes.words import WordMatches as WordMatches
from hypertorus.classes.words import Words as Words
