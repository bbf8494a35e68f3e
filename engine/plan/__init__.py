"""Plans of runs: their values, their files, and how they are worded and named."""
