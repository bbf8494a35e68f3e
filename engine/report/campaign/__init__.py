"""What is said of campaigns: the tree of their runs, JSON, and their document."""
