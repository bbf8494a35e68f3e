"""A further load of a mixed run as it is typed: its workload, its targets as URLs, and its parameters.

Called by ``engine.draft.plan_draft``; the first load is what the draft of the plan types itself.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from engine.errors import BadInput
from engine.figure_text import capitalised
from engine.parameters.parameter import Parameter
from engine.plan.checks import check_subject
from engine.plan.databases import targets_of_load
from engine.plan.mixed import LOAD_KEYS
from engine.plan.parameters import COMMON, described
from engine.plan.plan import RunPlan
from engine.plan.presets import DEMONSTRATION, usual_load
from engine.target.target import Target
from engine.workload.registry import find_workload

_BETWEEN = ";"
_PASSWORD = re.compile(r"://[^;]*:[^;]*@")
"""What may be a URL with a password in it, however incomplete: such a text is not kept."""


def load_parameters(workload_id: str) -> dict[str, Parameter]:
    """The parameters that each load of a mixed run has for itself, by their keys."""
    workload = find_workload(workload_id)
    return {key: each for key, each in described(workload).items() if key in (*LOAD_KEYS, *workload.keys)}


@dataclass
class LoadDraft:
    """The fields of one load; ``targets`` are URLs with semicolons between them, empty for the first load's servers.

    ``typed`` holds the text in the field of each parameter by its key; what is not given is the demonstration's.
    ``labels`` are those of targets that came with one, by their URLs.
    """

    workload: str
    targets: str = ""
    typed: dict[str, str] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.typed = {**_usual(self.workload), **self.typed}

    @classmethod
    def from_plan(cls, load: RunPlan) -> Self:
        return cls(
            workload=load.workload,
            targets=f"{_BETWEEN} ".join(target.url for target in load.targets),
            typed={key: each.write(load.value(key)) for key, each in load_parameters(load.workload).items()},
            labels={target.url: target.label for target in load.targets if target.label},
        )

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Self:
        """Read a kept draft; raises ``BadInput`` for a workload that is not known."""
        workload = find_workload(str(plain.get("workload"))).id
        targets = plain.get("targets")
        draft = cls(workload=workload, targets=targets if isinstance(targets, str) else "")
        draft.typed |= _texts(plain.get("typed"), draft.typed)
        draft.labels = _texts(plain.get("labels"))
        return draft

    def to_dict(self) -> dict[str, Any]:
        """The fields for keeping, without a text that may hold a password."""
        return vars(self) | {"targets": "" if _PASSWORD.search(self.targets) else self.targets}

    def choose_workload(self, workload_id: str) -> None:
        """Another workload: its own parameters begin anew, and the targets become those that it usually has."""
        if workload_id != self.workload:
            common = kept_values(self.typed, self.workload, self.has)
            self.workload, self.targets = workload_id, ""
            self.typed = _usual(workload_id) | common
            if find_workload(workload_id).due_rate is not None:
                self.typed["rate"] = ""

    def take(self, load: Mapping[str, Any]) -> None:
        """Type these values, given by the keys of their parameters; those of the run are left out."""
        parameters = load_parameters(self.workload)
        self.typed |= {key: parameters[key].write(value) for key, value in load.items() if key in parameters}

    def has(self, load: Mapping[str, Any]) -> bool:
        """Whether those of these values that a further load has are typed, however they are written."""
        try:
            return all(self._read(key) == value for key, value in load.items() if key in self.typed)
        except BadInput:
            return False

    def own_targets(self) -> tuple[Target, ...]:
        """The targets that are typed here; none where one of them can't be read."""
        try:
            return self._targets(()) if self.targets.strip() else ()
        except BadInput:
            return ()

    def validate(self, first: Sequence[Target]) -> dict[str, str]:
        """Field → one sentence on what is wrong with it; ``first`` are the first load's targets, empty if unknown."""
        errors: dict[str, str] = {}
        for key in self.typed:
            try:
                self._read(key)
            except BadInput as error:
                errors[key] = str(error)
        if first or self.targets.strip():
            try:
                check_subject(find_workload(self.workload), self._targets(first))
            except BadInput as error:
                errors["targets"] = capitalised(str(error))
        if first and not errors:
            try:
                self.plan(first)
            except BadInput as error:
                errors["rate" if self.typed["rate"].strip() else "targets"] = capitalised(str(error))
        return errors

    def plan(self, first: Sequence[Target]) -> RunPlan:
        """The load as a plan by itself; raises ``BadInput``."""
        values = {key: self._read(key) for key in self.typed}
        return RunPlan(targets=self._targets(first), workload=self.workload).changed(values)

    def _targets(self, first: Sequence[Target]) -> tuple[Target, ...]:
        urls = [url.strip() for url in self.targets.split(_BETWEEN) if url.strip()]
        return tuple(map(self._target, urls)) if urls else targets_of_load(first, self.workload)

    def _target(self, url: str) -> Target:
        target, password = Target.parse(url)
        if password is not None:
            raise BadInput(f"target {target.url} contains a password; remove it and use the keyring.")
        return target.with_label(self.labels.get(target.url, ""))

    def _read(self, key: str) -> Any:
        return load_parameters(self.workload)[key].read(self.typed[key])


def kept_values(typed: Mapping[str, str], left: str, has: Callable[[Mapping[str, Any]], bool]) -> dict[str, str]:
    """The values that stay typed when the workload ``left`` gives way to another one.

    They are those of the parameters that every plan has; where the draft ``has`` the usual load of the workload that it
    leaves, without those of that load.
    """
    load = usual_load(left)
    replaced = load.keys() if has(load) else ()
    return {key: text for key, text in typed.items() if key in COMMON and key not in replaced}


def _usual(workload_id: str) -> dict[str, str]:
    """What stands in the fields at first: the demonstration's users, and a store of the usual size."""
    workload, parameters = find_workload(workload_id), load_parameters(workload_id)
    values = {key: DEMONSTRATION.value(key) if key in COMMON else each.default for key, each in parameters.items()}
    values |= {key: value for key, value in usual_load(workload_id).items() if key in parameters}
    if workload.scale.of(values) is None:
        values |= workload.scale.values(workload.usual_scale)
    return {key: each.write(values[key]) for key, each in parameters.items()}


def _texts(plain: object, known: Mapping[str, str] | None = None) -> dict[str, str]:
    """The texts among kept values, of the known keys alone where these are given."""
    entries = plain.items() if isinstance(plain, Mapping) else ()
    return {key: text for key, text in entries if isinstance(text, str) and (known is None or key in known)}
