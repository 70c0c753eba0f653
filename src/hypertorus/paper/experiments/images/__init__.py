"""Experiments 1 and 2: images, each space at many sizes, and every quantiser."""
