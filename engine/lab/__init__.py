"""The embedded practice servers: a PostgreSQL of our own, kept by a small process, ended with the last app."""
