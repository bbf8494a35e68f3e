"""The servers' postgresql.conf: the same for every node of a lab, since a copy of a node takes its files along.

What differs from node to node (port, name, whom it follows) stands on the command line. Called by the nodes at each
start, and when the standbys that a commit waits for change.
"""

from collections.abc import Sequence
from pathlib import Path

USER = "postgres"
HOST = "127.0.0.1"
_HEADER = """\
# Spindle rewrites this file at each start of the server.
# For settings of your own use ALTER SYSTEM: they are stored in postgresql.auto.conf and override these.
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
    # A killed primary is rewound to its last checkpoint before the promotion: minutes of orders back.
    "wal_keep_size": "1GB",
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


def postgresql_conf(synchronous: Sequence[str] = ()) -> str:
    """The text of postgresql.conf; a commit waits for any one of the ``synchronous`` standbys."""
    names = f"ANY 1 ({', '.join(synchronous)})" if synchronous else ""
    settings = _SETTINGS | {"synchronous_standby_names": names}
    return _HEADER + "".join(f"{name} = '{value}'\n" for name, value in settings.items())


def conninfo(port: int, passfile: Path) -> str:
    """How a server of the lab connects to another one to follow, copy or rewind; the password is in the file."""
    quoted = str(passfile).replace("\\", "\\\\").replace("'", "\\'")
    return f"host={HOST} port={port} user={USER} dbname=postgres sslmode=disable gssencmode=disable passfile='{quoted}'"
