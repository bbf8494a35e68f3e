"""The chart over time that every page shows, and its parts."""
