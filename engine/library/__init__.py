"""The local library of runs: the only room that imports SQLAlchemy."""
