"""The record of a run, and the clock on which its moments are shown."""
