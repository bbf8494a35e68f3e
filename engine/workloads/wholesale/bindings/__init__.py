"""Wholesale on each DBMS: the calls of its users (``calls``)."""
