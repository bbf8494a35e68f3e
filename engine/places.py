"""The paths of Spindle's files on this machine: the library, the inventory, the embedded server, the log."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import platformdirs

HOME_VARIABLE = "SPINDLE_HOME"
_APPLICATION = "spindle"
_ROOTS_LAB = Path("/var/lib/spindle/lab")


@dataclass(frozen=True)
class Places:
    """The paths of one home; folders are created when they are first used.

    ``library_folder`` is where the library is if not in the home: a folder that the user has made.
    """

    home: Path
    lab: Path
    library_folder: Path | None = None

    @property
    def library(self) -> Path:
        return (self.library_folder or self.home) / "library.sqlite"

    @property
    def settings(self) -> Path:
        return self.home / "settings.json"

    @property
    def machines(self) -> Path:
        return self.home / "machines.toml"

    @property
    def cluster(self) -> Path:
        """The folder of the load machines' certificates, and of the cluster that runs."""
        return self.home / "cluster"

    @property
    def log(self) -> Path:
        return self.home / "log" / "spindle.log"


def find_places(home: Path | None = None, *, environment: Mapping[str, str] = os.environ) -> Places:
    """The paths below ``home``, else below ``SPINDLE_HOME``, else in the user's data folder.

    PostgreSQL refuses to run as root, and the account that it uses instead can't enter root's own folders: unless
    another home is given, root's embedded server is in the folder for data of system services.
    """
    chosen = home or (Path(environment[HOME_VARIABLE]) if environment.get(HOME_VARIABLE) else None)
    if chosen is not None:
        chosen = chosen.expanduser().absolute()
        return Places(home=chosen, lab=chosen / "lab")
    own = Path(platformdirs.user_data_dir(_APPLICATION, appauthor=False))
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    return Places(home=own, lab=_ROOTS_LAB if is_root else own / "lab")
