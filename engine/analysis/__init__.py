"""Pure functions from samples to figures: the same ones while a run goes on and years later."""
