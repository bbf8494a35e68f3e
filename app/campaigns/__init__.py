"""Campaigns in the window: checked, carried out on a thread, and followed in the library."""
