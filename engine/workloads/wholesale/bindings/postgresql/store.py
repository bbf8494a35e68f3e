"""Wholesale in PostgreSQL."""

from dataclasses import replace

from engine.databases.definition import script_reader
from engine.workloads.wholesale.bindings import store

STORE = replace(store.STORE, script=script_reader("wholesale", "postgresql"))
