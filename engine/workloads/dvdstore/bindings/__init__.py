"""The DVD Store on each DBMS: the calls of its users (``calls``), and its store (``store``)."""
