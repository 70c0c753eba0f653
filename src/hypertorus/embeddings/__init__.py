"""The record that walks between the rooms: embeddings that know what they are, and their files."""

from hypertorus.embeddings.read import read_embeddings as read_embeddings
from hypertorus.embeddings.record import Embeddings as Embeddings
