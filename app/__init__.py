"""Connects the engine with the screens and the command line; the only package that imports both."""
