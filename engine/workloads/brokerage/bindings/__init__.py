"""Brokerage on each DBMS."""
