"""The password of the account under which a run's users connect, if the DBMS gives them a separate one.

It is derived from the administrator's password, so that it is not stored and is the same for everybody who runs against
the store; the administrator's password can't be derived from the load's password or the salt.
"""

import base64
import hashlib
import hmac
import secrets

from engine.secrets import Secret

SALT_BYTES = 16
_PURPOSE = b"spindle load account"
_KEY_BYTES = 32
# RFC 7914's cost parameters: 16 MiB and about 50 ms, once a run.
_COST, _BLOCK_SIZE, _PARALLELIZATION = 2**14, 8, 1
# One of each kind of character, for servers that insist on them.
_OF_EACH_KIND = "Aa1-"


def new_salt() -> bytes:
    """A salt for a new store."""
    return secrets.token_bytes(SALT_BYTES)


def load_password(secret: Secret | None, salt: bytes) -> Secret:
    """The load account's password: letters, digits, ``-`` and ``_``, at least one of each kind, 47 characters.

    HMAC-SHA256 under the administrator's password, stretched by scrypt (RFC 7914) with the store's ``salt``. If the
    administrator has no password it is random, and has to be set again each time.
    """
    if secret is None:
        digest = secrets.token_bytes(_KEY_BYTES)
    else:
        key = hashlib.scrypt(
            secret.reveal().encode(), salt=salt, n=_COST, r=_BLOCK_SIZE, p=_PARALLELIZATION, dklen=_KEY_BYTES
        )
        digest = hmac.digest(key, _PURPOSE, "sha256")
    return Secret(_OF_EACH_KIND + base64.urlsafe_b64encode(digest).decode().rstrip("="))
