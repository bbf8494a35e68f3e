"""The DVD Store in SQL Server."""

from engine.workloads.dvdstore.bindings import store

STORE = store.STORE
