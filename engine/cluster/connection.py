"""The connection of this program to the cluster that runs from its home, and what is asked of the load machines.

dask's client lives on an event loop of its own, in a thread; the methods here wait for what they ask.
"""

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from concurrent.futures import wait as wait_for_all
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from engine.cluster.certificates import CertificateFolder
from engine.cluster.cluster_process import START_HANDLER, STOP_HANDLER
from engine.cluster.extra import check_cluster_packages
from engine.cluster.questions import machine_facts, reach, runs_here
from engine.cluster.remote_worker import WorkerPlan
from engine.cluster.scheduler_check import check_scheduler
from engine.cluster.starter import CONTROLLER
from engine.cluster.state import ClusterState, StartedWorker, read_state
from engine.cluster.worker_process import CLOCK_HANDLER
from engine.collect.clock import utc_now
from engine.collect.clock_offset import EXCHANGES, Offset, offset_of
from engine.collect.source import ClockExchange
from engine.errors import Cancelled, Remedy, RemedyKind, UserError

if TYPE_CHECKING:
    from distributed import Client

_log = logging.getLogger(__name__)
_Answer = TypeVar("_Answer")
_ANSWER_SECONDS = 15.0
_POLL_SECONDS = 0.1
_WATCH_SECONDS = 0.5
_MOST_EXCHANGES = 100
_GOOD_ERROR_SECONDS = 0.002
_LEAVE_SECONDS = 10.0
MOST_OFFSET_ERROR_SECONDS = 0.005
"""The largest error of a clock comparison with which the seconds of different machines may be added up."""
_CLOCK_SECONDS, _CLOCK_PAUSE_SECONDS = 8.0, 0.05


@dataclass(frozen=True, kw_only=True)
class MachineAnswers:
    """What a load machine has answered; ``problem`` says why it has not, as a clause.

    ``facts`` are those of ``questions.machine_facts``, ``reached`` those of ``questions.reach`` by place.
    """

    facts: Mapping[str, Any] = field(default_factory=dict)
    offset: Offset | None = None
    reached: Mapping[tuple[str, int], Mapping[str, Any]] = field(default_factory=dict)
    problem: str = ""


class ClusterConnection:
    """A connection, made by ``connect``, that has to be closed."""

    def __init__(self, state: ClusterState, certificates: CertificateFolder) -> None:
        self.state = state
        self.certificates = certificates
        self.files = certificates.files(CONTROLLER)
        self._loop = asyncio.new_event_loop()
        self._loop.set_exception_handler(_log_detail)
        self._thread = threading.Thread(target=self._loop.run_forever, name="dask", daemon=True)
        self._thread.start()
        self._client: Client | None = None
        self._begun: set[Future[Any]] = set()
        self._watching: Future[None] | None = None

    @classmethod
    def connect(cls, folder: Path) -> Self:
        """Connect to the cluster of a home's folder; raises ``UserError`` when there is none."""
        check_cluster_packages()
        state = read_state(folder)
        if state is None:
            raise UserError("the cluster is not running", remedy=Remedy(kind=RemedyKind.START_CLUSTER))
        certificates = CertificateFolder(folder)
        check_scheduler(state.address, certificates.files(CONTROLLER))
        made = cls(state, certificates)
        try:
            made._client = made.wait(made._connected())
        except BaseException:
            made.close()
            raise
        return made

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def client(self) -> "Client":
        """dask's, for coroutines on the loop."""
        assert self._client is not None, "connect comes first"
        return self._client

    def begin(self, work: Coroutine[Any, Any, _Answer]) -> "Future[_Answer]":
        """Schedule a coroutine on the loop; returns at once. ``close`` gives it some seconds to end."""
        begun = asyncio.run_coroutine_threadsafe(work, self._loop)
        self._begun.add(begun)
        begun.add_done_callback(self._begun.discard)
        return begun

    def wait(self, work: Coroutine[Any, Any, _Answer], cancelled: Callable[[], bool] = lambda: False) -> _Answer:
        """Run a coroutine on the loop and return its result; raises what it raises, or ``Cancelled``."""
        future = self.begin(work)
        while True:
            try:
                return future.result(_POLL_SECONDS)
            except TimeoutError:
                if future.done():
                    raise
                if cancelled():
                    future.cancel()
                    raise Cancelled from None

    def close(self) -> None:
        """Leave the cluster as it is."""
        if self._watching is not None:
            self._watching.cancel()
        _, unfinished = wait_for_all(set(self._begun), _LEAVE_SECONDS)
        for each in unfinished:
            each.cancel()
        with suppress(Exception):  # the scheduler may be gone by now
            if self._client is not None:
                self.wait(self._client.close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def watch_scheduler(self, on_lost: Callable[[], None]) -> None:
        """Call a function once, on the loop's thread, when the connection to the scheduler is lost."""
        self._watching = asyncio.run_coroutine_threadsafe(self._watch_scheduler(on_lost), self._loop)

    def workers(self) -> dict[str, str]:
        """The machines that are in the cluster now, each with the address of its worker."""
        return self.wait(self._workers())

    def ask(
        self,
        machines: Iterable[str],
        places: Sequence[tuple[str, int]] = (),
        cancelled: Callable[[], bool] = lambda: False,
    ) -> dict[str, MachineAnswers]:
        """Ask machines, all at once, for their facts, their clocks, and how they reach hosts and ports.

        Raises ``Cancelled``; a machine that does not answer has a ``problem``.
        """
        return self.wait(self._ask_all(list(machines), places), cancelled)

    def runs(self, machines: Iterable[str] | None = None) -> set[str]:
        """The runs that the named machines of the cluster drive now (all machines if none is named); a machine that
        does not answer counts as idle."""
        workers = self.workers() if machines is not None else {}
        asked = None if machines is None else [workers[each] for each in machines if each in workers]
        return self.wait(self._runs(asked))

    def start_worker(self, plan: WorkerPlan, cancelled: Callable[[], bool]) -> StartedWorker:
        """Start the worker of a machine over SSH; returns its state. Raises ``Cancelled``."""
        return StartedWorker.from_dict(self.wait(self._call(START_HANDLER, plan=plan.to_dict()), cancelled))

    def stop_worker(self, machine: str) -> bool:
        """Stop the worker of a machine and its agents; returns whether it was started by this cluster."""
        return bool(self.wait(self._call(STOP_HANDLER, machine=machine)))

    async def _watch_scheduler(self, on_lost: Callable[[], None]) -> None:
        while self.client.status == "running":
            await asyncio.sleep(_WATCH_SECONDS)
        on_lost()

    async def _call(self, handler: str, **given: object) -> Any:
        from distributed.core import rpc

        arguments = self.client.security.get_connection_args("client")
        async with rpc(str(self.state.address), connection_args=arguments) as scheduler:
            return await getattr(scheduler, handler)(**given)

    async def _runs(self, workers: list[str] | None) -> set[str]:
        with suppress(TimeoutError):
            async with asyncio.timeout(_ANSWER_SECONDS):
                answers: dict[str, Any] = await self.client.run(runs_here, workers=workers, on_error="ignore")
                return {run_id for runs in answers.values() for run_id in runs}
        return set()

    async def _connected(self) -> "Client":
        from distributed import Client

        from engine.cluster.dask_settings import apply_settings, security_of

        apply_settings()
        client: Client = await Client(
            str(self.state.address),
            security=security_of(self.files),
            asynchronous=True,
            set_as_default=False,
            name="spindle",
        )
        return client

    async def _workers(self) -> dict[str, str]:
        scheduler: Any = self.client.scheduler
        identity = await asyncio.wait_for(scheduler.identity(n_workers=-1), _ANSWER_SECONDS)
        return {each["name"]: address for address, each in identity["workers"].items()}

    async def _ask_all(self, machines: list[str], places: Sequence[tuple[str, int]]) -> dict[str, MachineAnswers]:
        workers = await self._workers()
        answers = await asyncio.gather(*(self._ask(workers.get(each, ""), places) for each in machines))
        return dict(zip(machines, answers, strict=True))

    async def _ask(self, worker: str, places: Sequence[tuple[str, int]]) -> MachineAnswers:
        if not worker:
            return MachineAnswers(problem="it is not in the cluster")
        try:
            async with asyncio.timeout(_ANSWER_SECONDS):
                facts = await self._run(machine_facts, worker)
                reached = await self._run(reach, worker, list(places)) if places else []
                offset = await self._offset(worker)
        except TimeoutError:
            return MachineAnswers(problem=f"it did not answer within {_ANSWER_SECONDS:.0f} s")
        except Exception as error:  # whatever its Python raises; another version may not even know the question
            return MachineAnswers(problem=f"it could not answer ({type(error).__name__}: {error})")
        return MachineAnswers(facts=facts, offset=offset, reached=dict(zip(places, reached, strict=True)))

    async def _run(self, question: Callable[..., Coroutine[Any, Any, _Answer]], worker: str, *given: object) -> _Answer:
        answers: dict[str, _Answer] = await self.client.run(question, *given, workers=[worker])
        return answers[worker]

    async def _offset(self, worker: str) -> Offset:
        """How far the machine's clock is ahead, measured by questions sent directly to its worker."""
        from distributed.core import rpc

        offsets: list[Offset] = []
        connection = self.client.security.get_connection_args("client")
        async with rpc(worker, connection_args=connection) as remote:
            for pause in _pauses(offsets):
                await asyncio.sleep(pause)
                sent = utc_now()
                there = await getattr(remote, CLOCK_HANDLER)()
                offsets.append(
                    offset_of(
                        ClockExchange(sent_utc_seconds=sent, answered_utc_seconds=utc_now(), source_utc_seconds=there)
                    )
                )
        return min(offsets, key=_error_seconds)


def _pauses(offsets: Sequence[Offset]) -> Iterator[float]:
    """The pause before each further question. At least ten are asked, and more while the shortest round trip is still
    long, as on a busy machine; if it is too long to compare the clocks, they go on for some seconds."""
    deadline = time.monotonic() + _CLOCK_SECONDS
    while len(offsets) < EXCHANGES or (
        len(offsets) < _MOST_EXCHANGES and min(map(_error_seconds, offsets)) > _GOOD_ERROR_SECONDS
    ):
        yield 0.0
    while min(map(_error_seconds, offsets)) >= MOST_OFFSET_ERROR_SECONDS and time.monotonic() < deadline:
        yield _CLOCK_PAUSE_SECONDS


def _error_seconds(offset: Offset) -> float:
    return offset.error_seconds


def _log_detail(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """dask leaves some of its timers running until the loop ends. Errors that matter are raised where their result is
    awaited."""
    _log.info("%s: %s", context.get("message"), context.get("exception"))
