"""Wholesale in SQL Server."""

from dataclasses import replace

from engine.workloads.wholesale.bindings import store

STORE = replace(store.STORE, script=store.script_of("mssql"))
