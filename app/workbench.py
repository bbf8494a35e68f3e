"""What the window works with: the home's folders, its library, its targets and the typed passwords.

Everything here except ``remember`` may wait, so it is called from background work only. Library and drivers are
imported there on first use: the window is shown before.
"""

import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from app.preferences import require_library_folder
from engine.places import Places
from engine.secrets import Secret, find_secret, keep_secret

if TYPE_CHECKING:
    from engine.conduct.interrupted import Settled
    from engine.conduct.targets import Targets
    from engine.databases.database import Timeouts
    from engine.library.library import Library


WINDOW = "Spindle window"
"""What a store's lease says of work that was begun in the window."""


class Workbench:
    """``notify`` gets messages for the user, ``warn`` those that must not be missed; both on any thread.

    ``timeouts`` are asked for when they are first needed, and again by ``renew_timeouts``.
    """

    def __init__(
        self,
        places: Places,
        *,
        notify: Callable[[str], None],
        warn: Callable[[str], None],
        timeouts: "Callable[[], Timeouts] | None" = None,
    ) -> None:
        self.places = places
        self.notify = notify
        self.warn = warn
        self._timeouts = timeouts
        self._lock = threading.Lock()
        self._library: Library | None = None
        self._targets: Targets | None = None
        self._secrets: dict[str, Secret] = {}
        self._secrets_lock = threading.Lock()  # never held during slow work: the main thread waits for it

    def library(self) -> "Library":
        """The library, opened on first use, and again when it was opened read-only and can be written now.

        Raises ``UserError``.
        """
        from engine.library.library import Library

        with self._lock:
            if self._library is not None and self._library.read_only and self._library.can_be_written():
                self._library.close()
                self._library = None
            if self._library is None:
                require_library_folder(self.places)
                self._library = Library.open(self.places.library, notify=self.warn)
            return self._library

    def targets(self) -> "Targets":
        """One resolver for the life of the window, so that the embedded server is held from its first use on."""
        from engine.conduct.targets import Targets

        with self._lock:
            if self._targets is None:
                with self._secrets_lock:  # passwords that are remembered meanwhile would be in neither
                    self._targets = Targets(
                        self.places, secrets=self._secrets, find=find_secret, notify=self.notify, who="the window"
                    )
                    if self._timeouts is not None:
                        self._targets.timeouts = self._timeouts()
            return self._targets

    def settle_library(self) -> "Settled":
        """Finish what earlier processes left undone in the library, if it can be written. Raises ``UserError``."""
        from engine.conduct.interrupted import Settled, settle_library

        library = self.library()
        return Settled() if library.read_only else settle_library(library)

    def remember(self, secrets: Mapping[str, Secret]) -> None:
        """Use these passwords, by ``Target.secret_name``, until the window is closed. Never waits."""
        with self._secrets_lock:
            self._secrets.update(secrets)
            targets = self._targets
            if targets is not None:
                targets.remember(secrets)

    def renew_timeouts(self) -> None:
        """Use the present time-outs from now on: for runs that are prepared, and work that is begun. Never waits."""
        with self._secrets_lock:
            if self._targets is not None and self._timeouts is not None:
                self._targets.timeouts = self._timeouts()

    def secrets(self) -> tuple[Secret, ...]:
        """Every password known so far, so that it can be masked."""
        with self._secrets_lock:
            targets, typed = self._targets, tuple(self._secrets.values())
        return typed if targets is None else (*typed, *targets.secrets())

    def keep(self, name: str, secret: Secret) -> None:
        """Store a password in the system's keyring as well. Raises ``UserError``."""
        keep_secret(name, secret)

    def close(self) -> None:
        """Release the library and the embedded server."""
        with self._lock:
            library, self._library = self._library, None
            targets, self._targets = self._targets, None
        if library is not None:
            library.close()
        if targets is not None:
            targets.close()
