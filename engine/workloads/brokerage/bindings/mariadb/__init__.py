"""Brokerage on MariaDB and MySQL."""
