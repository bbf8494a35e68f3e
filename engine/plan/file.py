"""Plan files: a RunPlan as TOML, for people to write and for runs to be repeated.

Called by the command line and by the library's export. The keys are RunPlan's fields; what a file leaves out has
RunPlan's default.
"""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import tomli_w

from engine.errors import BadInput
from engine.files.toml import parsed_toml
from engine.plan.mixed import LOAD, RUN_KEYS
from engine.plan.plan import RunPlan

_OF_THE_RUN = (*RUN_KEYS, "faults", "load_machine", "format_version")


def read_plan_file(path: Path) -> RunPlan:
    """The plan in a TOML file.

    Raises ``BadInput`` that names the file and what is wrong in it: the line that is no TOML, the unknown key and the
    nearest known one, or the value that can't be used.
    """
    plain = parsed_toml(path, "plan file")
    try:
        return RunPlan.from_dict(plain)
    except BadInput as error:
        raise BadInput(f"plan file {path}: {error.cause}", remedy=error.remedy) from error


def with_load_files(plan: RunPlan, paths: Iterable[Path]) -> RunPlan:
    """The plan with the load of each of these plan files added, as if it were a table ``[[load]]`` of the plan.

    What belongs to the run, such as minutes and faults, is the plan's, whatever a file says of it. Raises ``BadInput``
    that names the file.
    """
    added: list[RunPlan] = []
    for path in paths:
        load = {key: value for key, value in parsed_toml(path, "plan file").items() if key not in _OF_THE_RUN}
        first = {"workload": plan.workload, "targets": [target.url for target in plan.targets], LOAD: [load]}
        try:
            added += RunPlan.from_dict(first).further_loads
        except BadInput as error:
            raise BadInput(f"plan file {path}: {error.cause}", remedy=error.remedy) from error
    return replace(plan, further_loads=(*plan.further_loads, *added)) if added else plan


def write_plan_file(path: Path, plan: RunPlan, *, overwrite: bool = False) -> None:
    """Write the plan so that ``read_plan_file`` reads back an equal one.

    Raises ``BadInput`` when the file exists and ``overwrite`` is off, or when it can't be written.
    """
    text = tomli_w.dumps(plan.to_dict())
    try:
        with path.open("w" if overwrite else "x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError as error:
        raise BadInput(f"plan file {path} exists; give another name, or remove it.") from error
    except OSError as error:
        raise BadInput(f"plan file {path} can't be written ({error.strerror}); choose another folder.") from error
