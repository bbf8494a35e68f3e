"""The toy on MariaDB and MySQL."""
