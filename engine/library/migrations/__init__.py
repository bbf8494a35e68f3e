"""The steps from one version of the library's tables to the next, run by ``engine.library.migrating``."""
