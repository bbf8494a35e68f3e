"""Whether an address is known for a host's name."""

import socket

from engine.errors import BadInput

_UNKNOWN = {getattr(socket, name) for name in ("EAI_NONAME", "EAI_NODATA") if hasattr(socket, name)}


def check_host_name(host: str) -> None:
    """Raise ``BadInput`` when the system says that the name has no address.

    A name server that does not answer proves nothing. May take some seconds.
    """
    try:
        socket.getaddrinfo(host, None)
    except socket.gaierror as error:
        if error.errno in _UNKNOWN:
            raise BadInput(f"no address is known for {host}; check the host's name.") from error
    except UnicodeError as error:  # a label of no or of more than 63 letters
        raise BadInput(f"no address is known for {host}; check the host's name.") from error
