"""The library in the window: its table, a kept run on its page, comparisons, and what is done to runs."""
