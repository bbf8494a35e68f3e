"""Wholesale on PostgreSQL."""
