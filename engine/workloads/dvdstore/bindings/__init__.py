"""The DVD Store on each DBMS: the calls of its users (``calls``)."""
