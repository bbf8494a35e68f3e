"""Brokerage in PostgreSQL."""

from dataclasses import replace

from engine.workloads.brokerage.bindings import store

STORE = replace(store.STORE, script=store.script_of("postgresql"))
