"""What documents say of a run set: its runs, its median run, and what limits them."""
