"""The library of runs: table, stored run, comparison, bin."""
