"""What tests of compiled scripts share, which compare them with the generators that they take the place of."""

from collections.abc import Callable
from typing import Any, Protocol

from hypothesis import strategies as st

from engine.errors import ErrorClass, TargetError
from engine.workload.actions import Action, Outcome, Script

OTHER = TargetError(ErrorClass.OTHER, "refused")
ERRORS = st.builds(
    TargetError, st.sampled_from(ErrorClass), st.just("failed"), usable=st.booleans(), undone=st.booleans()
)


class Heard:
    """A tally that writes down every call; it can be made to fail at one."""

    def __init__(self, fails_at: int = -1, failure: Exception = OTHER) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self._fails_at = fails_at
        self._failure = failure

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)

        def hear(*arguments: Any, **options: Any) -> None:
            self.calls.append((name, arguments, options))
            if len(self.calls) == self._fails_at:
                raise self._failure

        return hear


class Nothing:
    """A tally that keeps nothing."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return lambda *_, **__: None


class World(Protocol):
    """Tells what becomes of an action."""

    def outcome(self, action: Action) -> Outcome: ...


def lived(
    script: Script, world: World, actions: int, seen: Callable[[], object] = lambda: None
) -> tuple[list[Action], str]:
    """What a script does, and the error that has ended it if one did; ``seen`` is called after each action."""
    done = []
    try:
        done.append(next(script))
        for _ in range(actions):
            done.append(script.send(world.outcome(done[-1])))
            seen()
    except Exception as error:
        return done, repr(error)
    return done, ""


def exactly(action: Action) -> tuple[Any, ...]:
    return type(action), repr(action)
