"""What is recorded about the machine that drives the load."""

import getpass
import json
import os
import shutil
import socket
import sysconfig
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import pytest

from engine.databases.postgresql import exchange
from engine.workloads.dvdstore import user
from engine.workloads.dvdstore.workload import WORKLOAD
from engine.workstation import application_version, describe_workstation


def test_the_machine_is_described_in_plain_values() -> None:
    described = describe_workstation(WORKLOAD.compiled)

    assert json.loads(json.dumps(described)) == described
    assert described["processors"] == os.cpu_count()
    assert described["memory_mb"] > 100
    assert described["spindle"] == version("spindle")
    assert described["postgresql_sessions"].split(",")[0] == ("libpq" if exchange.compiled is None else "compiled")
    others = ("engine.driver._counting", "engine.audit._notes")
    are_compiled = user.compiled is not None and all(map(find_spec, others))
    assert described["emulated_users"] == ("compiled" if are_compiled else "Python")
    assert all(value for value in described.values())


@pytest.mark.skipif(
    shutil.which("cc") is None or not Path(sysconfig.get_path("include"), "Python.h").exists(),
    reason="there is no C compiler, or Python's headers are missing",
)
def test_compiled_modules_exist() -> None:
    """Without them most of their tests are left out, and a source that no longer compiles would go unnoticed."""
    described = describe_workstation(WORKLOAD.compiled)
    assert described["postgresql_sessions"].startswith("compiled")
    assert described["emulated_users"] == "compiled"


def test_description_names_neither_user_nor_machine() -> None:
    words = set(" ".join(str(value) for value in describe_workstation().values()).split())

    assert not words & {getpass.getuser(), socket.gethostname(), os.path.expanduser("~")}


def test_application_version_is_known() -> None:
    assert application_version() == version("spindle")
