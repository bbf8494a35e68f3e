"""The library in the window: its table, a stored run on its page, comparisons, and the work on runs."""
