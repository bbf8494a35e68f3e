"""The toy on PostgreSQL."""
