"""Embeddings with their labels, split and names as one record, and its file."""

from hypertorus.embeddings.read import read_embeddings as read_embeddings
from hypertorus.embeddings.record import Embeddings as Embeddings
