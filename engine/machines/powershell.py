"""PowerShell on Windows, here or over SSH: a script as one command."""

import base64

LONGEST_COMMAND = 8_191
"""How many characters cmd.exe takes, which may be the shell of an SSH server there."""


def powershell(script: str) -> str:
    """The command line of PowerShell, with options so that it neither reads the input itself nor writes its errors as
    XML.

    The script is encoded, so that the same line works whether the SSH server's shell is cmd or PowerShell.
    """
    encoded = base64.b64encode(script.encode("utf-16-le")).decode()
    options = "-NoProfile -NonInteractive -InputFormat None -OutputFormat Text"
    return f"powershell {options} -EncodedCommand {encoded}"


def quoted(text: str) -> str:
    """A text as PowerShell reads it literally."""
    return "'" + text.replace("'", "''") + "'"
