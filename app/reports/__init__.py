"""Reports in the window: made, previewed, printed and written."""
