"""The certificate authorities that a target names: what both roads to a server check its certificate with."""

import ssl
from pathlib import Path

from engine.errors import UserError
from engine.target.target import Target


def ca_file_of(target: Target) -> str:
    """The path of a target's file of authorities, empty if it names none.

    Raises ``UserError`` when there is no such file, or no certificate in it: the drivers would say less.
    """
    if not target.ca_file:
        return ""
    path = Path(target.ca_file).expanduser()
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(path)
    except ssl.SSLError as error:
        raise UserError(
            f"sslrootcert is '{target.ca_file}', which holds no certificate in PEM; give the file of the authority that"
            " has signed the server's certificate."
        ) from error
    except OSError as error:
        raise UserError(
            f"sslrootcert is '{target.ca_file}', which can't be read ({error.strerror}); give the path of a file on"
            " this machine."
        ) from error
    return str(path)
