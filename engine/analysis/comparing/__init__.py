"""Comparison of runs and sets: differences, noise, scaling, economics."""
