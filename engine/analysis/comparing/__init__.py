"""Runs and sets beside each other: differences, noise, scaling, economics."""
