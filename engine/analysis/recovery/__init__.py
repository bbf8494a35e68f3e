"""How a run recovered from its faults."""
