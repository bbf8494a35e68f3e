"""Counts by client and second, and the curves that follow from them."""
