"""Wholesale on SQL Server."""
