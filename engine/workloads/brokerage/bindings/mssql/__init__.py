"""Brokerage on SQL Server."""
