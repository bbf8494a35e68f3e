"""What the statements of a reset or a build do, in words, to be shown as progress.

Used by the stores and their builds of every DBMS.
"""

import re

_NOUNS = {
    "cust_hist": "purchase history",
    "orderlines": "order lines",
    "orders": "orders",
    "customers": "customers",
    "products": "products",
    "inventory": "stock",
    "inventory_pristine": "stock",
    "reorder": "reorders",
    "categories": "categories",
}
_TABLE = re.compile(rf"\b({'|'.join(_NOUNS)})\b")


def reset_step(statement: str) -> str:
    """What a statement of a reset does: ``removing added orders``."""
    verb, noun = statement.split(maxsplit=1)[0].upper(), subject_of(statement)
    if verb == "LOCK":
        return "waiting for open transactions"
    if noun == _NOUNS["inventory"]:
        return "restoring the stock"
    if verb in ("DELETE", "TRUNCATE"):
        return f"removing added {noun}"
    return f"restarting the numbers of {noun}" if noun else "recording the reset"


def indexing_step(doing: str, statement: str) -> str:
    """What a build does and the table that its statement is about: ``indexing: order lines``."""
    noun = subject_of(statement)
    return f"{doing}: {noun}" if noun else doing


def subject_of(statement: str) -> str:
    """What the first of the store's tables in a statement contains; empty if it names none."""
    found = _TABLE.search(statement)
    return _NOUNS[found[1]] if found is not None else ""
