"""What scripts for pgbench are made of."""

from collections.abc import Iterable


def random_number(name: str, least: int, most: int) -> str:
    """Sets a variable to a random whole number within limits."""
    return f"\\set {name} random({least}, {most})"


def texts(words: Iterable[str]) -> str:
    """An array of texts, which the server takes a word from by a number: pgbench itself has none."""
    return "(ARRAY[" + ", ".join(f"'{each}'" for each in words) + "])"
