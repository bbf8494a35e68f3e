"""The report of runs as it will be written, what goes into it, and its way out."""
