"""A stored run becomes a document."""
