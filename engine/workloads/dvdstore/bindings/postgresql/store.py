"""The DVD Store in PostgreSQL."""

from dataclasses import replace

from engine.databases.definition import script_reader
from engine.workloads.dvdstore.bindings import store

STORE = replace(
    store.STORE,
    script=script_reader("dvdstore", "postgresql"),
    indexes=(*store.STORE.indexes, ("products", "ix_prod_title"), ("products", "ix_prod_actor")),
)
