"""The stages of a run's load: their figures, how a staircase ends, whether a rate is held, and the knee."""
