"""Collectors: what reads the counters and meters of machines while a run goes on, in a process of its own."""
