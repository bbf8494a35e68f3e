"""Verdicts for machines: whether a result fails conditions, and when the results of a plan changed."""
