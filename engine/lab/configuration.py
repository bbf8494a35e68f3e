"""The servers' postgresql.conf: the same for every node of a lab, since a copy of a node takes its files along.

What differs from node to node (port and name) stands on the command line. Called by the nodes at each start.
"""

_HEADER = """\
# Spindle writes this file anew at each start of the server.
# For settings of your own use ALTER SYSTEM: those stand in postgresql.auto.conf and win over these.
"""

# fsync stays on: an acknowledged order has to mean the same here as on a server that matters.
_SETTINGS: dict[str, str] = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "password_encryption": "scram-sha-256",
    # 24 clients of 32 users, or one of 1,000, and room for those who look on.
    "max_connections": "1100",
    "superuser_reserved_connections": "10",
    "shared_buffers": "256MB",
    "maintenance_work_mem": "128MB",
    # A killed server would leave its segments behind in /dev/shm, which is small in containers.
    "dynamic_shared_memory_type": "mmap",
    "jit": "off",
    "fsync": "on",
    "synchronous_commit": "on",
    "full_page_writes": "on",
    # Checkpoints come by the clock and not by volume, so that they don't dominate a run.
    "max_wal_size": "4GB",
    "min_wal_size": "512MB",
    "checkpoint_timeout": "15min",
    # A second node may be copied from this one, follow it, and be rewound.
    "wal_level": "replica",
    "hot_standby": "on",
    "max_wal_senders": "10",
    "max_replication_slots": "10",
    "wal_keep_size": "256MB",
    "wal_log_hints": "on",
    "wal_retrieve_retry_interval": "200ms",
    "wal_sender_timeout": "5s",
    "wal_receiver_timeout": "5s",
    "logging_collector": "off",
    "log_destination": "stderr",
    "log_line_prefix": "%m [%p] ",
    "log_timezone": "UTC",
    # The server's own doings, not every order that failed: those are counted by us.
    "log_min_messages": "log",
    "log_min_error_statement": "panic",
    "timezone": "UTC",
    "datestyle": "iso, ymd",
    "default_text_search_config": "pg_catalog.english",
}


def postgresql_conf() -> str:
    """The text of postgresql.conf."""
    return _HEADER + "".join(f"{name} = '{value}'\n" for name, value in _SETTINGS.items())
