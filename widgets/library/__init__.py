"""The library of runs: table, a kept run, and comparisons."""
