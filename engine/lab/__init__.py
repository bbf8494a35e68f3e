"""The embedded practice servers."""
