"""New run in the window: the wizard and its slow work, and the practice servers."""
