"""Codes and small networks as C for microcontrollers."""
