"""Files: written atomically, locked between programs, read as TOML or as tables, and where their disk is full."""
