"""One target as it is typed, and the kinds of targets to choose from."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Self
from urllib.parse import quote

from engine.draft.lab_choices import LAB_CHOICES, SINGLE, lab_choice, lab_choice_of
from engine.errors import BadInput
from engine.target import DEFAULT_DATABASE, EMBEDDED, FAILOVER_MODES, FAST, MANUAL, POSTGRESQL, Host, Target


@dataclass(frozen=True, kw_only=True)
class TargetKind:
    """A kind of target to choose: what a plan calls it, what the screen calls it, and whether it is on a server.

    ``port`` and ``user`` are what is taken when none is typed.
    """

    kind: str
    title: str
    has_server: bool
    port: int = 0
    user: str = ""


def _server_kind(kind: str, title: str) -> TargetKind:
    parsed, _ = Target.parse(f"{kind}://host/{DEFAULT_DATABASE}")
    return TargetKind(kind=kind, title=title, has_server=True, port=parsed.hosts[0].port, user=parsed.user)


KINDS = (
    TargetKind(kind=EMBEDDED, title="Embedded server", has_server=False),
    _server_kind(POSTGRESQL, "PostgreSQL"),
)


def kind_of(kind: str) -> TargetKind:
    """The entry of the table of kinds; raises ``BadInput`` for a kind that is not in it."""
    for each in KINDS:
        if each.kind == kind:
            return each
    raise BadInput(f"target kind '{kind}' is not known; give one of {', '.join(each.kind for each in KINDS)}.")


@dataclass
class TargetDraft:
    """The fields of one target. A password is not among them, and one that was typed as a host is never kept.

    ``shape`` is the name of a ``LabChoice``; it and ``failover``, which a single server has none of, are the embedded
    server's.
    """

    kind: str = EMBEDDED
    hosts: str = ""
    database: str = DEFAULT_DATABASE
    user: str = ""
    tls: str = "prefer"
    label: str = ""
    shape: str = SINGLE.name
    failover: str = FAST

    @classmethod
    def from_target(cls, target: Target) -> Self:
        return cls(
            kind=target.kind,
            hosts=", ".join(_host_text(host) for host in target.hosts),
            database=target.database,
            user=target.user,
            tls=target.tls,
            label=target.label,
            shape=lab_choice_of(target.nodes, sync=target.sync).name,
            failover=target.failover if target.nodes > 1 else FAST,
        )

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Self:
        """Read a kept draft; what is missing or no text has its default."""
        names = [field.name for field in fields(cls)]
        draft = cls(**{name: plain[name] for name in names if isinstance(plain.get(name), str)})
        if draft.kind not in {each.kind for each in KINDS}:
            draft.kind = EMBEDDED
        if draft.shape not in {choice.name for choice in LAB_CHOICES}:
            draft.shape = SINGLE.name
        if draft.failover not in FAILOVER_MODES:
            draft.failover = FAST
        return draft

    def to_dict(self) -> dict[str, str]:
        """The fields for keeping, without what may be a password: a URL as hosts, or what stands there before an @."""
        plain: dict[str, str] = dict(vars(self))
        return plain | {"hosts": "" if "://" in self.hosts else self.hosts.rpartition("@")[2]}

    def copy(self) -> Self:
        return replace(self)

    def validate(self) -> dict[str, str]:
        """Field → sentence for each field that can't be used as it is."""
        errors: dict[str, str] = {}
        for name, read in self._readers().items():
            try:
                read()
            except BadInput as error:
                sentence = str(error)
                errors[name] = sentence[0].upper() + sentence[1:]
        return errors

    def target(self) -> Target:
        """The target; raises ``BadInput``."""
        for read in self._readers().values():
            read()
        if not kind_of(self.kind).has_server:
            return self._embedded()
        return Target(
            kind=self.kind,
            hosts=self._read_hosts(),
            database=self.database,
            user=self.user or kind_of(self.kind).user,
            tls=self.tls,
            label=self.label,
        )

    @property
    def nodes(self) -> int:
        """How many servers the embedded one is; one for any other kind."""
        return lab_choice(self.shape).nodes if self.kind == EMBEDDED else 1

    def _embedded(self) -> Target:
        choice = lab_choice(self.shape)
        return Target(
            kind=self.kind,
            database=self.database,
            label=self.label,
            nodes=choice.nodes,
            sync=choice.sync,
            failover=self.failover if choice.nodes > 1 else MANUAL,
        )

    def _readers(self) -> dict[str, Callable[[], object]]:
        """What each field is checked with: a target of which only that field is as typed."""
        probe = Target(kind=EMBEDDED)
        always: dict[str, Callable[[], object]] = {
            "kind": lambda: kind_of(self.kind),
            "database": lambda: replace(probe, database=self.database),
            "label": lambda: replace(probe, label=self.label),
        }
        if self.kind == EMBEDDED:
            named = replace(self, database=probe.database, label="")
            return always | {"shape": lambda: lab_choice(self.shape), "failover": named._embedded}
        return always | {
            "hosts": self._read_hosts,
            "user": lambda: replace(probe, user=self.user),
            "tls": lambda: replace(probe, tls=self.tls),
        }

    def _read_hosts(self) -> tuple[Host, ...]:
        if not self.hosts.strip():
            raise BadInput("hosts is empty; name the server, such as db1 or db1:5432.")
        if "@" in self.hosts:
            raise BadInput("hosts holds an @; give only names and ports here, user and password below.")
        places = ",".join(quote(place.strip(), safe="[]:% ") for place in self.hosts.split(","))
        if ",," in f",{places},":
            raise BadInput("hosts has nothing between two commas; write them as db1, db2:5433.")
        target, _ = Target.parse(f"{self.kind}://{places}/{DEFAULT_DATABASE}")
        return target.hosts


def _host_text(host: Host) -> str:
    if ":" in host.name:
        return f"[{quote(host.name, safe=':')}]:{host.port}"
    return f"{quote(host.name, safe='/')}:{host.port}"
