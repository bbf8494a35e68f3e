"""A user of mail: the tasks of a profile's day, drawn by their shares, one after the other as they are due.

A message that is deleted or moved goes to a folder of Spindle's, as with mail clients, so that each message that was
acknowledged can be found after the run. Response times of tasks begin when they were due, those of their kinds with
their first call.
"""

from collections.abc import Callable, Generator
from datetime import UTC, datetime
from random import Random
from typing import Any

from engine.errors import ErrorClass, TargetError
from engine.services.mail.definition import ARCHIVE, CALENDAR_FOLDER, TRASH
from engine.workload.actions import Action, Call, Outcome, Script
from engine.workload.tally import Tally
from engine.workload.user import EmulatedUser
from engine.workloads.mail.profiles import MailProfile
from engine.workloads.mail.transactions import CALENDAR, CHECK, DELETE, MOVE, READ, REPLY, SEND, TASK

_APPOINTMENT_BYTES = 2_000
_MOST_KNOWN = 200
_Task = Generator[Action, Outcome, None]


class MailUser(EmulatedUser):
    """The user of a number from 0, of so many ``mailboxes``."""

    def __init__(self, profile: MailProfile, mailboxes: int, number: int, random: Random, tally: Tally) -> None:
        super().__init__(random, tally, 0.0)
        self._profile = profile
        self._mailboxes = mailboxes
        self._user = number
        self._run = int(datetime.now(UTC).timestamp())  # with the user, no other message has it
        self._numbered = 0
        self._kinds = tuple(profile.tasks)
        self._weights = tuple(profile.tasks.values())
        self._sizes, self._size_weights = zip(*profile.sizes, strict=True)
        self._task = ""
        self._unread: list[int] = []
        self._was_read: list[int] = []
        self._do: dict[str, Callable[[], _Task]] = {
            CHECK: self._check,
            READ: self._read,
            SEND: self._send,
            REPLY: self._reply,
            MOVE: lambda: self._move(ARCHIVE),
            DELETE: lambda: self._move(TRASH),
            CALENDAR: self._appointment,
        }

    def _transaction(self) -> Script:
        if not self._task:
            (self._task,) = self._random.choices(self._kinds, self._weights)
        late, before = self._late, self._since_due
        yield from self._do[self._task]()
        seconds = self._since_due - before
        self._tally.step(self._task, seconds)
        self._tally.transaction(TASK, late + seconds, rolled_back=False)
        self._task = ""

    def _check(self) -> _Task:
        unseen = yield from self._call("check", ())
        self._unread = unseen[-_MOST_KNOWN:]

    def _read(self) -> _Task:
        uid = self._unread.pop() if self._unread else 0
        read = yield from self._call("read", (uid, self._random.random()))
        if read:
            self._was_read = [*self._was_read[-_MOST_KNOWN:], read]

    def _reply(self) -> _Task:
        yield from self._read()
        yield from self._deliver((self._other(),))

    def _send(self) -> _Task:
        yield from self._deliver(self._recipients())

    def _move(self, folder: str) -> _Task:
        uid = self._was_read.pop() if self._was_read else 0
        moved = yield from self._call("move", (uid, self._random.random(), folder))
        self._was_read = [each for each in self._was_read if each != moved]
        self._unread = [each for each in self._unread if each != moved]

    def _appointment(self) -> _Task:
        self._numbered += 1
        yield from self._call("append", (CALENDAR_FOLDER, self._run, self._numbered, _APPOINTMENT_BYTES))

    def _deliver(self, recipients: tuple[int, ...]) -> _Task:
        """Send a message, and record each recipient's copy, which has a number of its own."""
        first, key = self._numbered + 1, self._user + 1
        self._numbered += len(recipients)
        (size,) = self._random.choices(self._sizes, self._size_weights)
        try:
            refusals = yield from self._call("send", (recipients, self._run, first, size))
        except TargetError as error:
            if not error.undone:
                for _ in recipients:
                    self._tally.in_doubt(key, self._run)
            raise
        for number, refusal in enumerate(refusals, start=first):
            if refusal:
                self._tally.error(TargetError(ErrorClass.OTHER, f"a recipient was refused: {refusal}", undone=True))
            else:
                self._tally.acknowledged(number, key, self._run)

    def _call(self, name: str, arguments: tuple[Any, ...]) -> Generator[Action, Outcome, Any]:
        result, error, seconds = yield Call(name, arguments)
        self._since_due += seconds
        if error is not None:
            raise error
        return result

    def _recipients(self) -> tuple[int, ...]:
        """The users whom a new message is sent to: some by chance, or those of a distribution list."""
        profile = self._profile
        if self._random.random() < profile.list_share:
            count = min(profile.list_users, self._mailboxes)
            first = self._random.randrange(self._mailboxes)
            return tuple(sorted((first + place) % self._mailboxes for place in range(count)))
        mean = (profile.recipients - profile.list_share * profile.list_users) / (1 - profile.list_share)
        count = 1 + int(self._random.expovariate(1 / (mean - 0.5))) if mean > 1 else 1
        chosen = {self._random.randrange(self._mailboxes) for _ in range(min(count, self._mailboxes))}
        return tuple(sorted(chosen))

    def _other(self) -> int:
        return self._random.randrange(self._mailboxes)
