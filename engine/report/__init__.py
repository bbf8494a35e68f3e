"""Documents made of stored runs."""
