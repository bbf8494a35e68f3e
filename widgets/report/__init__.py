"""A report of runs: its preview and its options."""
