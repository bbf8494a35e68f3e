"""The time chart of every page, and its parts."""
