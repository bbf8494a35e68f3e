"""Plan files: a RunPlan as TOML, for people to write and for runs to be repeated.

Called by the command line and by the library's export. The keys are RunPlan's fields; what a file leaves out has
RunPlan's default.
"""

from pathlib import Path

import tomli_w

from engine.errors import BadInput
from engine.files.toml import parsed_toml
from engine.plan.plan import RunPlan


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


def write_plan_file(path: Path, plan: RunPlan, *, overwrite: bool = False) -> None:
    """Write the plan so that ``read_plan_file`` reads back an equal one.

    Raises ``BadInput`` when the file exists and ``overwrite`` is off, or when it can't be written.
    """
    text = tomli_w.dumps(plan.to_dict())
    try:
        with path.open("w" if overwrite else "x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError as error:
        raise BadInput(f"plan file {path} exists; give another name, or overwrite it.") from error
    except OSError as error:
        raise BadInput(f"plan file {path} can't be written ({error.strerror}); choose another folder.") from error
