"""The options of `spindle build` for the files of a SQL Server database, and the layout that they describe."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

import click

from app.cli.options import WHOLE
from engine.errors import BadInput
from engine.plan.plan import RunPlan
from engine.target.store_layout import MOST_FILES, StoreLayout
from engine.target.target import MSSQL
from engine.workloads.bindings import store_of

_Function = TypeVar("_Function", bound=Callable[..., Any])
_OPTIONS = {
    "files_per_filegroup": "--files-per-filegroup",
    "data_folder": "--data-folder",
    "index_folder": "--index-folder",
    "log_folder": "--log-folder",
    "backup_folder": "--backup-folder",
    "bulk_folder": "--bulk-folder",
    "bulk_folder_here": "--bulk-folder-here",
}
LAYOUT_VALUES = tuple(_OPTIONS)
"""The names of the parameters that ``layout_options`` adds."""


def layout_options(command: _Function) -> _Function:
    """Decorator: adds the options, as parameters of ``layout_of``."""
    texts = {
        "data_folder": "SQL Server: folder of the data files, on the server. [default: the server's own]",
        "index_folder": "SQL Server: folder of the indexes' files. [default: --data-folder]",
        "log_folder": "SQL Server: folder of the transaction log. [default: the server's own]",
        "backup_folder": "SQL Server: folder for a backup of the built store, which makes resets fast.",
        "bulk_folder": "SQL Server: a shared folder as the server sees it, for loading by BULK INSERT.",
        "bulk_folder_here": "SQL Server: the same folder as this machine sees it.",
    }
    for name in reversed(texts):
        command = click.option(_OPTIONS[name], name, metavar="FOLDER", help=texts[name])(command)
    return click.option(
        _OPTIONS["files_per_filegroup"],
        "files_per_filegroup",
        type=WHOLE,
        metavar="N",
        help=f"SQL Server: files of each filegroup, 1 to {MOST_FILES}. [default: by the size]",
    )(command)


def layout_of(plan: RunPlan, options: dict[str, Any]) -> StoreLayout | None:
    """The layout that the options ask for, with sizes for the plan's stores; ``None`` without options.

    Raises ``BadInput``, also for a store that is not on SQL Server.
    """
    from engine.databases.mssql.definition import SqlServerDefinition  # with NumPy, which no other command needs here

    given = {name: value for name, value in options.items() if value is not None}
    if not given:
        return None
    others = sorted({store.kind for store in plan.stores() if store.kind != MSSQL})
    if others:
        named = ", ".join(_OPTIONS[name] for name in given)
        raise BadInput(f"{named}: the files are chosen on SQL Server only, not on {', '.join(others)}; leave it out.")
    definition = store_of(plan.workload, MSSQL)
    if not isinstance(definition, SqlServerDefinition):
        named = ", ".join(_OPTIONS[name] for name in given)
        raise BadInput(f"{named}: workload {plan.workload} has no layout of files; leave it out.")
    layout = definition.layout(str(plan.scale))
    data = {"folder": given["data_folder"]} if "data_folder" in given else {}
    if "files_per_filegroup" in given:
        data["files"] = given["files_per_filegroup"]
    groups: dict[str, Any] = {name: replace(group, **data) for name, group in layout.filegroups.items()}
    if "index_folder" in given:
        groups["indexes"] = replace(groups["indexes"], folder=given["index_folder"])
    log = replace(layout.log, folder=given.get("log_folder", ""))
    folders = {name: given.get(name, "") for name in ("backup_folder", "bulk_folder", "bulk_folder_here")}
    return replace(layout, log=log, **groups, **folders)
