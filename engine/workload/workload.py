"""A workload: its name, what can be set of it, what is counted, and its emulated users.

What a workload has for each DBMS is in its package ``bindings``, see ``engine.workloads.bindings``.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, Protocol

from engine.errors import BadInput
from engine.parameters.parameter import Parameter, ParameterValues, Part, did_you_mean
from engine.subject import Subject
from engine.workload.backlog import Backlog
from engine.workload.rows.estimate import StoreEstimate
from engine.workload.scale import Scale, ScaleOfOne
from engine.workload.tally import Tally
from engine.workload.transaction import Metric, TransactionType, transactions_of
from engine.workload.user import EmulatedUser
from engine.workload.wording import GENERAL, Wording

_MILLI = 1000


class NewUser(Protocol):
    """Makes an emulated user of a workload's parameters, whose scale is that of the store.

    ``number`` counts the users of a store from 0, over all its clients.
    """

    def __call__(
        self, values: Mapping[str, Any], *, think_time_ms: float, number: int, random: Random, tally: Tally
    ) -> EmulatedUser: ...


MeanThinkSeconds = Callable[[Mapping[str, Any], float], float]
"""The mean time from the end of a user's transaction to the call of its next one, by the values and the plan's think
time in milliseconds."""


def plan_think_seconds(_values: Mapping[str, Any], think_time_ms: float) -> float:
    """The think time of the plan, which most workloads' users keep to."""
    return think_time_ms / _MILLI


HeadlineShare = Callable[[Mapping[str, Any]], float]
"""The share of a user's transactions that the headline counts, by the values: 0 to 1."""


def every_transaction(_values: Mapping[str, Any]) -> float:
    """The headline counts every transaction, or it is not known which share it counts."""
    return 1.0


def _always(_values: Mapping[str, Any]) -> bool:
    return True


DueRate = Callable[[Mapping[str, Any]], float]
"""How many transactions a second are due for each user, by the values."""


@dataclass(frozen=True, kw_only=True)
class Nominal:
    """The headline rate that stores of a scale are made for: ``rate`` by the scale, ``of`` the scale in words.

    A result is to be within ``least_pct`` and ``most_pct`` of it.
    """

    rate: Callable[[Any], float]
    of: Callable[[Any], str]
    least_pct: float
    most_pct: float


@dataclass(frozen=True, kw_only=True)
class Deferred:
    """Transactions that the emulation begins some time after those of the type ``cause``: ``types``, of which the first
    follows each of these, and the others as often as the specified shares have it.

    In the mix they count with their cause, whenever they end: only what is due and not begun is missing.
    """

    cause: str
    types: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class ServiceLevel:
    """What users are to be offered: transactions that take at most the milliseconds in the parameter ``limit_key``, by
    their mean or their 95th percentile, and of those that were due at least ``least_done_pct`` done."""

    limit_key: str
    least_done_pct: float


@dataclass(frozen=True)
class NamedLoad:
    """A load that the wizard offers: its name, a line that describes it, and values by the keys of parameters.

    The parameters are those of every plan and of the workload; those that are not given have their defaults.
    """

    name: str
    describes: str
    values: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Workload:
    """What can be run.

    ``id`` is its name in plans and on the command line, ``title`` that on screens. ``subject`` is what its targets are;
    a plan with a target of another subject is refused. No parameter has the key of one that
    every plan has. ``summary`` says the load in one phrase, ``sentence`` in one sentence, with each parameter's key in
    braces for its value in words; empty: the values are listed with their labels. ``note`` says what its results may be
    compared with, ``wording`` is what screens say of it, and ``loads`` are those that are offered by their names.

    ``scale_key`` is the key of the parameter that says how large a store is; ``str`` of its value is what is recorded
    with the store, and ``None`` means the store that is there. Where several parameters say so, ``joint_scale`` makes a
    scale of their values in its place. ``small_scale`` is what ``spindle build`` builds by itself, ``usual_scale`` what
    a run builds on the embedded server, and ``estimate`` computes what a scale takes. ``renewed`` returns values as
    parameters have them now, given those of a plan that was stored by an earlier version.

    ``transactions`` are what its users count, first what the ``headline`` counts, the rate that is shown first.
    ``columns`` are their ids in the order of CSV columns and keys in JSON; empty: that of ``transactions``.
    ``also_counted`` are those whose numbers tables of totals show beside the headline's; empty: all other transactions.
    ``user`` makes its emulated users; ``None``: clients run a program instead (``engine.databases.program``).
    ``recorded`` are those that the ledger records, which a user reports as ``acknowledged``; empty: what the headline
    counts. ``due_rate``: each user has transactions due at a rate of its own, whether or not answers come; a plan then
    has neither think times nor a rate. ``most_users`` is how many users a store of a scale can have; ``None``: any
    number. ``backlog`` is a queue within its emulation, ``deferred`` what that begins later, ``nominal`` the headline
    rate that its scale is made for. ``service_level`` is what its users are to be offered, of a workload with a
    ``due_rate``.
    ``writes`` says of the values whether a run writes into its stores. ``factors`` are the keys of the parameters of
    its load by which results are compared, beside those of every plan.
    ``bindings`` is the name of the package with what the workload has for each DBMS, ``driver_files`` that of a
    module whose ``DRIVER_FILES`` read and write the files of a published driver (``engine.workloads.driver_files``).
    ``compiled`` names modules that its users run in where they were compiled, and do without elsewhere. With
    ``has_p999``, its response times have the percentile 99.9 as well.
    """

    id: str
    title: str
    parameters: tuple[Parameter, ...]
    small_scale: object
    usual_scale: object
    estimate: Callable[[Any], StoreEstimate]
    transactions: tuple[TransactionType, ...]
    headline: Metric
    user: NewUser | None = None
    bindings: str
    subject: Subject = Subject.DATABASE
    scale_key: str = ""
    joint_scale: Scale | None = None
    renewed: Callable[[Mapping[str, Any]], Mapping[str, Any]] = dict
    mean_think_seconds: MeanThinkSeconds = plan_think_seconds
    columns: tuple[str, ...] = ()
    also_counted: tuple[str, ...] = ()
    recorded: tuple[str, ...] = ()
    headline_share: HeadlineShare = every_transaction
    due_rate: DueRate | None = None
    most_users: Callable[[Any], int] | None = None
    backlog: Backlog | None = None
    deferred: Deferred | None = None
    nominal: Nominal | None = None
    service_level: ServiceLevel | None = None
    writes: Callable[[Mapping[str, Any]], bool] = _always
    factors: tuple[str, ...] = ()
    summary: str = ""
    sentence: str = ""
    note: str = ""
    wording: Wording = GENERAL
    loads: tuple[NamedLoad, ...] = ()
    driver_files: str = ""
    compiled: tuple[str, ...] = ()
    has_p999: bool = False

    @property
    def in_columns(self) -> tuple[TransactionType, ...]:
        """The transactions in the order of CSV columns and keys in JSON."""
        by_id = {each.id: each for each in self.transactions}
        return tuple(by_id[each] for each in self.columns or by_id)

    @property
    def beside_headline(self) -> tuple[TransactionType, ...]:
        """The transactions whose numbers tables of totals show beside the headline's."""
        if self.also_counted:
            return tuple(each for each in self.transactions if each.id in self.also_counted)
        return tuple(each for each in transactions_of(self.transactions) if each.id != self.headline.counts)

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of all parameters."""
        return tuple(each.key for each in self.parameters)

    @property
    def scale(self) -> Scale:
        """How large its stores are."""
        if self.joint_scale is not None:
            return self.joint_scale
        return ScaleOfOne(*(each for each in self.parameters if each.key == self.scale_key))

    @property
    def load(self) -> tuple[Parameter, ...]:
        """The parameters that are part of the load."""
        return tuple(each for each in self.parameters if each.part is Part.LOAD)

    def store_of(self, recorded: str) -> str:
        """A store of a recorded scale in words: ``100MB store``, ``store of 10 warehouses``, ``64MB file``."""
        return self.scale.store(recorded, self.wording.stores[0])

    @property
    def holds(self) -> str:
        """The verb between a target and its store: a database holds a store, a file is one."""
        return "is" if self.subject.is_store_itself else "holds"

    def uses_think_time(self, values: Mapping[str, Any]) -> bool:
        """Whether users pause for the plan's think time; otherwise the workload has times of its own."""
        return self.mean_think_seconds(values, 0) != self.mean_think_seconds(values, 1)

    def values(self, given: Mapping[str, Any]) -> ParameterValues:
        """The values of all parameters: those given, and the defaults of the others.

        Raises ``BadInput`` that names an unknown key and the nearest known one, or a value that can't be used.
        """
        given, known = self.renewed(given), {each.key: each for each in self.parameters}
        for key in given:
            if key not in known:
                raise BadInput(f"'{key}' is not a parameter of workload {self.id}; {did_you_mean(key, known)}.")
        values = ParameterValues({key: each.checked(given.get(key, each.default)) for key, each in known.items()})
        self.scale.of(values)  # raises for values that do not fit together
        return values

    def in_words(self, values: Mapping[str, Any]) -> str:
        """The load in one phrase: ``20 % new customers, 3 searches of 5 rows, 5 lines``."""
        words = self._words(values)
        if self.summary:
            return self.summary.format_map(words)
        return ", ".join(_labelled(each, words[each.key]) for each in self.load if words[each.key])

    def in_a_sentence(self, values: Mapping[str, Any]) -> str:
        """The load in one sentence."""
        if self.sentence:
            return self.sentence.format_map(self._words(values))
        return f"{self.title}: {self.in_words(values)}."

    def _words(self, values: Mapping[str, Any]) -> dict[str, str]:
        return {each.key: each.in_words(values[each.key]) for each in self.load}


def _labelled(parameter: Parameter, words: str) -> str:
    return words if parameter.noun is not None else f"{parameter.label.lower()} {words}"
