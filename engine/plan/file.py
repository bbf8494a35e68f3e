"""Plan files: a RunPlan as TOML, for people to write and for runs to be repeated.

Called by the command line and by the library's export. The keys are RunPlan's fields; what a file leaves out has
RunPlan's default.
"""

import tomllib
from pathlib import Path
from typing import Any

import tomli_w

from engine.errors import BadInput
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


def parsed_toml(path: Path, what: str) -> dict[str, Any]:
    """The values in a TOML file; ``what`` the file is begins the sentence of the ``BadInput`` that is raised."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError as error:
        raise BadInput(f"{what} {path} does not exist; check its name.") from error
    except OSError as error:
        raise BadInput(f"{what} {path} can't be read ({error.strerror}); give a readable file.") from error
    except UnicodeDecodeError as error:
        raise BadInput(f"{what} {path} is not text in UTF-8; save it as UTF-8.") from error
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"{what} {path} is not TOML: {error}; fix that line.") from None
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, brackets without end
        raise BadInput(f"{what} {path} holds a value that can't be read; fix it.") from error
