"""The DVD Store in MariaDB and MySQL."""

from collections.abc import Mapping
from dataclasses import replace

from engine.databases.checking import equal
from engine.databases.definition import Check, script_reader
from engine.databases.snapshot import Reader
from engine.workloads.dvdstore import words
from engine.workloads.dvdstore.bindings import store


def _searches(reader: Reader, _counts: Mapping[str, int]) -> list[Check]:
    """That a search on this server finds every word of titles and actors, unless its least length was raised."""
    least = int(reader.value("SELECT @@innodb_ft_min_token_size"))
    short = sum(len(word) < least for word in (*words.title_words(), *words.first_names(), *words.last_names()))
    return [equal("words too short for the full-text indexes", 0, short)]


_TABLES = store.STORE.tables

STORE = replace(
    store.STORE,
    script=script_reader("dvdstore", "mariadb"),
    # These have a key of their own beside their columns.
    tables={
        **_TABLES,
        "cust_hist": replace(_TABLES["cust_hist"], identity="historyid"),
        "reorder": replace(_TABLES["reorder"], identity="reorderid"),
    },
    indexes=(
        *store.STORE.indexes,
        ("cust_hist", "cust_hist_pkey"),
        ("products", "ix_prod_title"),
        ("products", "ix_prod_actor"),
        ("inventory_pristine", "inventory_pristine_pkey"),
    ),
    checks={**store.STORE.checks, "searches": _searches},
    measures={"history": "SELECT coalesce(max(historyid), 0) FROM cust_hist"},
)
