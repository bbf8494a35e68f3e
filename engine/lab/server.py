"""An app's hold on the embedded server: attach, use, detach; and its state, for the command line.

Called by the run controller's callers (the command line, later the window), the benchmarks and the tests.
"""

import os
import random
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from engine.errors import Remedy, RemedyKind, UserError
from engine.faults.lab_actions import LabAction
from engine.lab.configuration import HOST, USER
from engine.lab.events import LabEvent
from engine.lab.folder import FolderLock, LabFolder
from engine.lab.link import KeeperEnded, Link, launch_keeper
from engine.lab.processes import end_servers
from engine.lab.shapes import LabShape
from engine.lab.status import LabStatus, stopped_status
from engine.secrets import Secret
from engine.target.target import DEFAULT_DATABASE, POSTGRESQL, Host, Target

_ATTACH_TIMEOUT_SECONDS = 60.0
_START_TIMEOUT_SECONDS = 300.0
_STATUS_TIMEOUT_SECONDS = 150.0
_STOP_TIMEOUT_SECONDS = 60.0
_DO_TIMEOUT_SECONDS = 600.0
_RETRY_SECONDS = 0.05
_LONGEST_RETRY_SECONDS = 0.5


class EmbeddedServer:
    """The embedded PostgreSQL, held: it runs at least until ``detach``, or until this process ends.

    Any number of processes may hold it. ``secret`` is the password of the target's user.
    """

    def __init__(self, folder: LabFolder, link: Link, status: LabStatus, secret: Secret, who: str) -> None:
        self._folder = folder
        self._link = link
        self._status = status
        self._who = who
        self._lock = threading.Lock()
        self.secret = secret

    @classmethod
    def attach(
        cls,
        folder: Path,
        *,
        notify: Callable[[str], None],
        keep: bool = False,
        shape: LabShape | None = None,
        who: str = "",
    ) -> Self:
        """Take a lease on the lab of a folder, starting it when needed; returns when it can be connected to.

        ``notify`` gets sentences for the user while a start goes on; with ``keep`` the servers stay after the last
        lease, until ``lab_stop``. Without a ``shape`` the lab is taken as it runs, else as a single server. ``who`` is
        how this program is named to the others. Raises ``UserError``, also when the lab has another shape and others
        hold it.
        """
        lab = LabFolder(folder)
        lab.create()
        who = f"{who or 'a program'} (process {os.getpid()})"
        link, status = _attached(lab, notify, keep=keep, shape=shape, who=who)
        try:
            return cls(lab, link, status, lab.password(), who)
        except BaseException:
            link.close()
            raise

    def target(self, database: str = DEFAULT_DATABASE) -> Target:
        """The lab as a target like any other: its one server, or every node behind its proxy."""
        ports = [node.client_port for node in self._status.nodes if node.client_port is not None]
        hosts = tuple(Host(HOST, port) for port in ports)
        return Target(kind=POSTGRESQL, hosts=hosts, database=database, user=USER, tls="disable")

    def start(self, *, notify: Callable[[str], None], shape: LabShape | None = None) -> None:
        """Mend what has died, unless users are at work; or give the lab another shape.

        Everything stays on its port, unless another program has taken that meanwhile. Raises ``UserError``.
        """
        with self._lock:
            try:
                answer = self._link.request(
                    "start", _wanted(shape), timeout_seconds=_START_TIMEOUT_SECONDS, notify=notify
                )
            except KeeperEnded:
                self._link.close()
                self._link, self._status = _attached(self._folder, notify, keep=False, shape=shape, who=self._who)
            except TimeoutError as error:
                raise UserError(_silent_keeper(self._folder)) from error
            else:
                self._status = LabStatus.from_message(answer)

    def do(self, action: LabAction, *, node: int | None = None, value: float | None = None) -> str:
        """Do an action to the lab, on a node by its number if one is named; returns what was done.

        Any thread may call. Raises ``UserError``.
        """
        return lab_do(self._folder.root, action, node=node, value=value)

    def status(self) -> LabStatus:
        """How the lab stands now. Raises ``UserError``."""
        return lab_status(self._folder.root)

    def news(self) -> list[LabEvent]:
        """The lab's events since the last call: what its supervisor observed and did. Never waits."""
        if not self._lock.acquire(blocking=False):  # a start is in progress: they are returned by the next call
            return []
        try:
            return self._link.news()
        except (KeeperEnded, TimeoutError):
            return []
        finally:
            self._lock.release()

    def detach(self) -> None:
        """Release it; returns when the server has stopped, if nobody else holds it. May be called more than once."""
        try:
            self._link.send("detach")
            self._link.await_end(timeout_seconds=_STOP_TIMEOUT_SECONDS)
        except (KeeperEnded, TimeoutError):
            pass  # the connection's end gives the lease back as well
        finally:
            self._link.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.detach()


def lab_status(folder: Path) -> LabStatus:
    """How the lab of a folder stands; nothing is started. Raises ``UserError`` when its keeper does not answer."""
    lab = LabFolder(folder)
    link = Link.open(lab)
    if link is None:
        return stopped_status(lab)
    try:
        return LabStatus.from_message(link.request("status", timeout_seconds=_STATUS_TIMEOUT_SECONDS))
    except KeeperEnded:
        return stopped_status(lab)
    except TimeoutError as error:
        raise UserError(_silent_keeper(lab)) from error
    finally:
        link.close()


def lab_do(folder: Path, action: LabAction, *, node: int | None = None, value: float | None = None) -> str:
    """Execute an action in a folder's lab, whoever holds it; returns what was done. Raises ``UserError``."""
    arguments = {"action": action.value, "node": node, "value": value}
    return str(_request(LabFolder(folder), "do", arguments, _DO_TIMEOUT_SECONDS)["done"])


def lab_keep(folder: Path, *, keep: bool) -> LabStatus:
    """Make a folder's lab stay, or end, when nobody holds it any more. Raises ``UserError``."""
    return LabStatus.from_message(_request(LabFolder(folder), "keep", {"keep": keep}, _STATUS_TIMEOUT_SECONDS))


def _request(lab: LabFolder, command: str, arguments: Mapping[str, Any], timeout_seconds: float) -> dict[str, Any]:
    """Send a request to the keeper of a lab that runs, and return its answer. Raises ``UserError``."""
    link = Link.open(lab)
    if link is None:
        raise UserError("the embedded server does not run", remedy=Remedy(kind=RemedyKind.START_LAB))
    try:
        return link.request(command, arguments, timeout_seconds=timeout_seconds)
    except KeeperEnded as error:
        raise UserError(
            "the embedded server ended in the meantime", remedy=Remedy(kind=RemedyKind.START_LAB)
        ) from error
    except TimeoutError as error:
        raise UserError(_silent_keeper(lab)) from error
    finally:
        link.close()


def lab_stop(folder: Path, *, timeout_seconds: float) -> bool:
    """Stop the lab's server, whoever holds it; returns whether one was running.

    Raises ``UserError`` when it has not stopped after the time.
    """
    lab = LabFolder(folder)
    link = Link.open(lab)
    if link is None:
        return _end_left_over(lab)
    try:
        link.send("stop")
        link.await_end(timeout_seconds=timeout_seconds)
    except KeeperEnded:
        return False
    except TimeoutError as error:
        raise UserError(_silent_keeper(lab)) from error
    finally:
        link.close()
    return True


def _attached(
    lab: LabFolder, notify: Callable[[str], None], *, keep: bool, shape: LabShape | None, who: str
) -> tuple[Link, LabStatus]:
    deadline = time.monotonic() + _ATTACH_TIMEOUT_SECONDS
    wanted = _wanted(shape) | {"keep": keep, "who": who}
    pause = _RETRY_SECONDS
    while time.monotonic() < deadline:
        link = Link.open(lab)
        if link is not None:
            try:
                answer = link.request("attach", wanted, timeout_seconds=_START_TIMEOUT_SECONDS, notify=notify)
            except KeeperEnded:  # it was just ending: the next one serves us
                link.close()
            except TimeoutError as error:
                link.close()
                raise UserError(_silent_keeper(lab)) from error
            except BaseException:
                link.close()
                raise
            else:
                return link, LabStatus.from_message(answer)
        if not launch_keeper(lab):
            time.sleep(random.uniform(pause / 2, pause))
            pause = min(2 * pause, _LONGEST_RETRY_SECONDS)
    raise UserError(_silent_keeper(lab))


def _wanted(shape: LabShape | None) -> dict[str, Any]:
    return {"shape": shape.to_message() if shape is not None else None}


def _end_left_over(lab: LabFolder) -> bool:
    if not lab.root.is_dir():
        return False
    lock = FolderLock(lab)
    if not lock.acquire():  # a keeper that is just starting or ending: nothing is left over
        return False
    try:
        return end_servers(*lab.root.glob("node*/data*")) > 0
    finally:
        lock.release()


def _silent_keeper(lab: LabFolder) -> str:
    address = lab.read_address()
    who = f"process {address.pid}" if address is not None else "unknown process"
    return f"the keeper of the embedded server in {lab.root} ({who}) does not answer; end that process and try again."
