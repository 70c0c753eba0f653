"""Annotations of recordings: what sounds from when to when, and the files in which field programs keep it."""

from hypertorus.annotations.events import events as events
from hypertorus.annotations.formats import FORMATS as FORMATS
from hypertorus.annotations.formats import read_annotations as read_annotations
from hypertorus.annotations.formats import write_annotations as write_annotations
from hypertorus.annotations.record import Annotation as Annotation
