"""The migrations of the library's tables, run by ``engine.library.migrating``."""
