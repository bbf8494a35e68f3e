"""Brokerage in PostgreSQL."""

from dataclasses import replace

from engine.databases.definition import script_reader
from engine.workloads.brokerage.bindings import store

STORE = replace(store.STORE, script=script_reader("brokerage", "postgresql"))
