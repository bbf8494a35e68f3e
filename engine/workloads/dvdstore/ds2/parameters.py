"""DVD Store 2's own parameters: read from its files and command lines, and written for it.

Called by the command line (``--ds2-config``, ``spindle ds2``), by the library's export, and by ``log.py``. Names and
defaults are those of the DS2.1 drivers; those that DVD Store 3 added are recognised and rejected by name.
"""

import math
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from engine.errors import BadInput
from engine.parameters.parameter import Minutes, Whole, did_you_mean
from engine.parameters.typed_text import write_number
from engine.plan.plan import RunPlan
from engine.secrets import Secret
from engine.target.target import DEFAULT_DATABASE, EMBEDDED, POSTGRESQL, Target
from engine.workload.registry import DVD_STORE
from engine.workloads.driver_files import DriverPlan

_PARAMETERS = {
    "n_threads": "threads",
    "ramp_rate": "ramp_rate",
    "run_time": "minutes",
    "db_size": "db_size",
    "warmup_time": "warmup_minutes",
    "think_time": "think_time_ms",
    "pct_newcustomers": "pct_new_customers",
    "n_searches": "n_searches",
    "search_batch_size": "search_batch_size",
    "n_line_items": "n_line_items",
}
"""DS2's names of a plan's parameters."""
_IN_SECONDS = "think_time"
_DESCRIBED = RunPlan().described()
DEFAULTS: Mapping[str, str] = {
    "target": "localhost",
    **{name: write_number(_DESCRIBED[key].default or 0) for name, key in _PARAMETERS.items()},
    "db_size": "10MB",
    "database_name": DEFAULT_DATABASE,
}
HOLDS_PASSWORD = "linux_perf_host"  # noqa: S105 - the parameter's name; its value is user:password:host
_NOT_USED = (
    "config_file",
    "virt_dir",
    "page_type",
    "windows_perf_host",
    HOLDS_PASSWORD,
    "detailed_view",
    "report_rate",
    "csv_output",
    "output_path",
)
_DVD_STORE_3 = (
    "pct_newmember",
    "pct_newmembers",
    "n_reviews",
    "pct_newreviews",
    "pct_newhelpfulness",
    "out_filename",
    "ds2_mode",
    "n_stores",
)
_SYNONYMS = {"db_size_str": "db_size"}
NAMES = (*DEFAULTS, *_NOT_USED, *_DVD_STORE_3, *_SYNONYMS)
_LONG_THINK_TIME_SECONDS = 5
_COMMENTS = ("#", ";", "//")


def parse_ds2_config(text: str, source: str) -> dict[str, str]:
    """The parameters in a DS2 parameter file (``name=value`` lines) by DS2's names; the last value of a name counts.

    Blank lines and lines that begin with ``#``, ``;`` or ``//`` are ignored; the value of ``linux_perf_host``, which
    contains a password, is not kept. Raises ``BadInput`` that names ``source``, the line and the nearest known
    parameter.
    """
    parameters: dict[str, str] = {}
    for number, line in enumerate(text.lstrip("\ufeff").splitlines(), start=1):
        if line.strip() and not line.strip().startswith(_COMMENTS):
            name, value = _pair(line, f"line {number} of {source}")
            parameters[name] = value
    return parameters


def parse_ds2_arguments(arguments: Iterable[str]) -> dict[str, str]:
    """The parameters of a DS2 command line, ``--name=value``, from left to right: the last value of a name counts.

    ``--config_file=PATH`` is replaced by that file's parameters. Raises ``BadInput``.
    """
    parameters: dict[str, str] = {}
    for argument in arguments:
        if not argument.startswith("--"):
            raise BadInput(f"argument '{argument.partition('=')[0]}' is not a DS2 parameter; write --name=value.")
        name, value = _pair(argument[2:], "the arguments")
        if name == "config_file":
            parameters.update(parse_ds2_config(_text_of(value), value))
        else:
            parameters[name] = value
    return parameters


def plan_from_ds2(parameters: Mapping[str, str], *, kind: str = POSTGRESQL, user: str = "") -> DriverPlan:
    """The plan that DS2 would run with these parameters; missing ones have DS2's defaults.

    DS2's driver program decides which DBMS it drives; here ``kind`` does, and ``user`` (empty: the kind's default) for
    targets that are not URLs. DS2's think time is in seconds. Raises ``BadInput``.
    """
    given = {**DEFAULTS, **parameters}
    spellings = [each.strip() for each in given["target"].split(";") if each.strip()]
    parsed = [_target(spelling, given["database_name"], kind, user) for spelling in spellings]
    plan = RunPlan(
        targets=tuple(target for target, _ in parsed),
        parameters={"db_size": given["db_size"]},
    ).changed({key: _value(given, name) for name, key in _PARAMETERS.items() if key != "db_size"})
    secrets = {target.secret_name: secret for target, secret in parsed if secret is not None}
    return DriverPlan(plan, _warnings(parameters, plan), secrets)


def ds2_config_of(plan: RunPlan) -> str:
    """The plan as a parameter file for DS2's drivers: no comment, no blank line, no space.

    DS2 only takes whole numbers, so minutes are rounded up and other fractions to the nearest; of a target with several
    hosts only the first is written. Raises ``BadInput`` when the plan drives databases with different names or another
    workload, which DS2 can't.
    """
    if plan.workload != DVD_STORE:
        raise BadInput(f"DS2 drives the DVD Store; this plan's workload is {plan.workload}.")
    databases = {store.database for store in plan.stores()}
    if len(databases) > 1:
        raise BadInput(f"DS2 drives one database name on all targets; this plan has {', '.join(sorted(databases))}.")
    database = databases.pop()
    lines = {
        "target": ";".join(_ds2_target(client.target) for client in plan.client_plans()),
        **{name: _ds2_value(name, plan.value(key)) for name, key in _PARAMETERS.items()},
        "database_name": database if database != DEFAULT_DATABASE else "",
    }
    return "".join(f"{name}={value}\n" for name, value in lines.items() if value)


def _pair(text: str, place: str) -> tuple[str, str]:
    spelled, equals, value = text.partition("=")
    name = spelled.strip().lower()
    if not equals:
        first_word = re.split(r"[\s:]", spelled.strip())[0]  # behind it may stand a password
        raise BadInput(f"{place}: '{first_word}' has no value; write name=value.")
    if name not in NAMES:
        hint = did_you_mean(name, NAMES, "known are", listed=DEFAULTS)
        raise BadInput(f"{place}: DS2 parameter '{name}' is not known; {hint}.")
    return _SYNONYMS.get(name, name), "•••" if name == HOLDS_PASSWORD and value.strip() else value.strip()


def _text_of(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise BadInput(f"config_file {path} can't be read ({error.strerror}); give a readable file.") from error


def _target(spelling: str, database: str, kind: str, user: str) -> tuple[Target, Secret | None]:
    if "://" in spelling:
        return Target.parse(spelling)
    at = f"{quote(user, safe='')}@" if user and "@" not in spelling else ""
    return Target.parse(f"{kind}://{at}{spelling}/{quote(database, safe='')}")


def _ds2_target(target: Target) -> str:
    if target.kind == EMBEDDED or not target.hosts:
        return DEFAULTS["target"]
    host = target.hosts[0]
    usual = Target.parse(f"{target.kind}://host")[0].hosts[0].port
    return host.name if host.port == usual and ":" not in host.name else str(host)


def _value(given: Mapping[str, str], name: str) -> float:
    """The plan's value of a parameter that is a number."""
    is_whole = isinstance(_DESCRIBED[_PARAMETERS[name]].type, Whole)
    try:
        value = int(given[name]) if is_whole else float(given[name])
    except ValueError as error:
        kind = "whole number" if is_whole else "number"
        raise BadInput(f"DS2 parameter {name} is '{given[name]}'; give a {kind}.") from error
    return round(value * 1000, 6) if name == _IN_SECONDS else value


def _ds2_value(name: str, value: Any) -> str:
    """The plan's value as DS2 takes it; empty for a size that is left open."""
    if name == _IN_SECONDS:
        return f"{value / 1000:.6f}".rstrip("0").rstrip(".")
    if name == "ramp_rate":
        return str(max(1, round(value)))
    if isinstance(_DESCRIBED[_PARAMETERS[name]].type, Minutes):
        return str(math.ceil(value))
    return str(round(value)) if isinstance(value, float) else str(value or "")


def _warnings(parameters: Mapping[str, str], plan: RunPlan) -> list[str]:
    warnings = []
    if plan.think_time_ms >= _LONG_THINK_TIME_SECONDS * 1000:
        warnings.append(
            f"think_time {parameters['think_time']} is in seconds in DS2, {plan.think_time_ms:g} ms here; "
            f"reports often quote milliseconds: if that is meant, give {float(parameters['think_time']) / 1000:g}."
        )
    unused = [name for name in _NOT_USED if parameters.get(name)]
    if unused:
        warnings.append(f"DS2 parameters that Spindle does not use: {', '.join(unused)}.")
    newer = [name for name in _DVD_STORE_3 if parameters.get(name)]
    if newer:
        warnings.append(f"DVD Store 3's parameters are not used, the workload is DVD Store 2's: {', '.join(newer)}.")
    return warnings
