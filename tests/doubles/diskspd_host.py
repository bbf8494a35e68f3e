"""Windows with diskspd, as far as Spindle's two scripts ask for it: a program ``powershell`` for the PATH.

There is no PowerShell here, so the scripts themselves are not run: they are decoded, and answered as they would be.
The one that checks the place gets what a file says; the one that runs diskspd prints a recorded result, or waits until
its input ends, as diskspd would be killed then. ``log`` gets a line for each.
"""

import base64
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def install(folder: Path, *, place: str, result: str = "", exit_code: int = 0, errors: str = "") -> Path:
    """Put the program into a folder for the PATH: ``place`` is what the check prints; without a ``result`` diskspd runs
    until it is killed. Returns the log."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in (("place", place), ("result", result), ("errors", errors), ("code", str(exit_code))):
        (folder / name).write_text(text)
    program = folder / "powershell"
    program.write_text(f'#!/bin/sh\ncd {ROOT} && exec {sys.executable} -m tests.doubles.diskspd_host {folder} "$@"\n')
    program.chmod(0o755)
    return folder / "log"


def main(folder: Path, encoded: str) -> int:
    script = base64.b64decode(encoded).decode("utf-16-le")
    with (folder / "log").open("a") as log:
        if "Diagnostics.Process" not in script:
            print("check", file=log)
            print((folder / "place").read_text())
            return 0
        print(*re.findall(r"StartInfo\.\w+ = '(.*)'", script), file=log, flush=True)
        result = (folder / "result").read_text()
        if not result:
            sys.stdin.read()
            print("killed", file=log)
        sys.stderr.write((folder / "errors").read_text())
        print(result)
        return int((folder / "code").read_text())


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[-1]))
