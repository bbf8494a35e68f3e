"""The system under test: the URL of a target, its hosts, kind and options, and the layout of its store."""
