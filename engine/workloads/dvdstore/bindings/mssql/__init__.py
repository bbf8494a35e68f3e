"""The DVD Store on SQL Server."""
