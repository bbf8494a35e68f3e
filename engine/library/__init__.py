"""The local library of runs. Only this package imports SQLAlchemy."""
