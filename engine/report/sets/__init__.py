"""Documents of a run set: its runs, its median run, and its limitations."""
