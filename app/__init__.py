"""Puts things together: the only room that knows both the engine and the screens."""
