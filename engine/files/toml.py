"""Reads TOML files that people write: plans, campaigns, the inventory of machines."""

import tomllib
from pathlib import Path
from typing import Any

from engine.errors import BadInput


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
