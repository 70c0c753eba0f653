"""Experiment 3: birdsong, where unseen species are classified by a few examples."""
