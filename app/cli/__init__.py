"""The headless front end: the same engine as the window's, from the terminal."""
