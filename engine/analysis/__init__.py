"""Pure functions from samples to figures, the same during a run and for a stored one."""
