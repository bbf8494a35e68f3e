"""The DVD Store in PostgreSQL."""

from dataclasses import replace

import resources
from engine.workloads.dvdstore.bindings import store


def _script(name: str) -> str:
    return resources.read_text("sql", "dvdstore", "postgresql", f"{name}.sql")


STORE = replace(
    store.STORE,
    script=_script,
    indexes=(*store.STORE.indexes, ("products", "ix_prod_title"), ("products", "ix_prod_actor")),
)
