"""Wholesale on MariaDB and MySQL."""
