"""The place where campaigns are written, carried out and read."""
