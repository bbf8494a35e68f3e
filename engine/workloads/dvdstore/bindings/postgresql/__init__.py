"""The DVD Store on PostgreSQL."""
