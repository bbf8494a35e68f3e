"""Places the clients of a plan on load machines: evenly, or by their processors."""

from collections.abc import Mapping, Sequence

from engine.plan.load_machines import LoadMachine


def placed_evenly(machines: Sequence[str], clients: int) -> tuple[LoadMachine, ...]:
    """All clients on the machines, as many on each; what is left over goes to the first ones."""
    return placed_by_processors(dict.fromkeys(machines, 1), clients)


def placed_by_processors(processors: Mapping[str, int], clients: int) -> tuple[LoadMachine, ...]:
    """All clients on the machines, in proportion to their processors (by the largest remainders, the first machine
    winning a draw); one without a client is left out."""
    total = sum(processors.values())
    if not total:
        return ()
    shares = {name: clients * count / total for name, count in processors.items()}
    placed = {name: int(share) for name, share in shares.items()}
    left = clients - sum(placed.values())
    for name in sorted(shares, key=lambda each: placed[each] - shares[each])[:left]:
        placed[name] += 1
    return tuple(LoadMachine(name, count) for name, count in placed.items() if count)
