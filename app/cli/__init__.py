"""The command line: the same engine as the window's, in a terminal."""
