"""Experiment 3: birdsong, and species that a network has never heard told by a few examples."""
