"""The DVD Store on MariaDB and MySQL."""
