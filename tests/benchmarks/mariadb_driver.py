"""The yardstick of the MariaDB section: a C program on MariaDB's client library, compiled when it is needed.

It makes the calls of Spindle's emulated users with the same mix and the same retries, one blocking thread a user.
"""

import json
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from engine.secrets import Secret
from engine.target.target import Target
from engine.workloads.dvdstore import catalogue, people, words
from engine.workloads.dvdstore.sizing import CATEGORIES
from engine.workloads.dvdstore.user import Mix
from tests.benchmarks.driven import Cpu, Driven

_HERE = Path(__file__).parent
_SOURCES = (_HERE / "mariadb_driver.c", _HERE / "mariadb_calls.c")
_CONFIG = ("mariadb_config", "mysql_config")


@dataclass(frozen=True, kw_only=True)
class Load:
    """The users of one store, and how long they work: first for nobody, then measured."""

    mix: Mix
    users: int
    warmup_seconds: int
    seconds: int


def missing() -> str:
    """What is not installed of what the yardstick is built with; empty when all is there."""
    compiler, config = shutil.which("cc"), _config()
    absent = [what for what, path in (("a C compiler", compiler), ("libmariadb-dev", config)) if path is None]
    return " and ".join(absent)


def build(folder: Path) -> Path:
    """Compile the program in a folder; where it is. Raises ``CalledProcessError`` with what the compiler said."""
    config, program = _config(), folder / "mariadb_driver"
    assert config is not None, "asked for only when nothing is missing"
    flags, libraries = (
        subprocess.run([config, option], check=True, capture_output=True, text=True).stdout.split()
        for option in ("--cflags", "--libs")
    )
    compiler = ["cc", "-O2", "-Wall", "-Wextra", "-Werror", "-pthread"]
    subprocess.run([*compiler, *flags, "-o", str(program), *map(str, _SOURCES), *libraries], check=True)
    return program


def drive(program: Path, target: Target, secret: Secret, load: Load) -> Driven:
    """The whole measurement; raises ``RuntimeError`` when a call failed.

    Linux shares the processors out by session: like a client process of Spindle's, the program has one of its own, and
    not that of the server.
    """
    done = subprocess.run(
        [str(program)], input=_settings(target, secret, load), capture_output=True, text=True, start_new_session=True
    )
    if done.returncode:
        raise RuntimeError(f"the C driver failed: {done.stderr.strip() or done.returncode}")
    said = json.loads(done.stdout)
    user, system = said.pop("cpu")
    return Driven(
        orders=said["orders"],
        seconds=said["seconds"],
        cpu=Cpu(user=user, system=system),
        peak_memory_mb=said["peak_memory_mb"],
        retries=said["retries"],
    )


def _settings(target: Target, secret: Secret, load: Load) -> str:
    """What the program reads, in the order of its ``main``; words have no spaces."""
    mix, host = load.mix, target.hosts[0]
    lines: list[tuple[object, ...]] = [
        (host.name, host.port, target.database, target.user, secret.reveal()),
        (load.users, load.warmup_seconds, load.seconds),
        (mix.size.customers, mix.size.products, catalogue.tickets(mix.size)),
        (catalogue.POPULAR_EVERY, catalogue.POPULAR_FACTOR, CATEGORIES),
        (mix.n_searches, mix.search_batch_size, mix.n_line_items),
        (catalogue.MOST_QUANTITY, catalogue.TAX_PER_10_000, mix.pct_new_customers),
        (people.USERNAME_PREFIX, people.NEW_USERNAME_PREFIX, people.PASSWORD),
    ]
    lines += [(len(each), *each) for each in (words.title_words(), words.first_names(), words.last_names())]
    return "\n".join(" ".join(map(str, line)) for line in lines) + "\n"


def _config() -> str | None:
    return next((path for name in _CONFIG if (path := shutil.which(name)) is not None), None)
