"""The files of a SQL Server database as they are typed: folders, numbers of files, sizes, and the folders for loading.

Called by the plan's draft and edited by the database page. What is left empty is suggested by the store's scale.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Self

from engine.errors import BadInput
from engine.figure_text import capitalised
from engine.parameters.typed_text import read_whole
from engine.target.store_layout import FilegroupLayout, LogLayout, StoreLayout

FILE_TITLES = {
    "customers": "Customers",
    "orders": "Orders",
    "indexes": "Indexes",
    "misc": "Miscellany",
    "log": "Log",
}
FOLDER_TITLES = {"backup_folder": "Backup folder", "bulk_folder": "Bulk folder"}


@dataclass
class FilesDraft:
    """The files of a filegroup or of the log: their folder on the server, how many, and the size of all in MB."""

    folder: str = ""
    files: str = ""
    size_mb: str = ""


@dataclass
class LayoutDraft:
    """The fields of a ``StoreLayout``; an empty number takes the one of the layout that is suggested for the store."""

    customers: FilesDraft = field(default_factory=FilesDraft)
    orders: FilesDraft = field(default_factory=FilesDraft)
    indexes: FilesDraft = field(default_factory=FilesDraft)
    misc: FilesDraft = field(default_factory=FilesDraft)
    log: FilesDraft = field(default_factory=FilesDraft)
    backup_folder: str = ""
    bulk_folder: str = ""
    bulk_folder_here: str = ""

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Self:
        """Read kept fields; what is missing or no text is empty."""
        draft = cls()
        for each in fields(cls):
            kept = plain.get(each.name)
            if each.name not in FILE_TITLES:
                setattr(draft, each.name, kept if isinstance(kept, str) else "")
            elif isinstance(kept, Mapping):
                texts = {name: kept[name] for name in ("folder", "files", "size_mb") if isinstance(kept.get(name), str)}
                setattr(draft, each.name, FilesDraft(**texts))
        return draft

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain values; ``from_dict`` reads them back."""
        return asdict(self)

    def validate(self, suggested: StoreLayout) -> dict[str, str]:
        """Field → sentence; a field that is right alone and wrong beside those above it has one too.

        Fields are named as in ``FILE_TITLES`` and ``FOLDER_TITLES``.
        """
        errors: dict[str, str] = {}
        values: dict[str, Any] = {}
        for name in (*FILE_TITLES, *FOLDER_TITLES):
            try:
                more = values | self._read(name, suggested)
                StoreLayout(**more)
            except BadInput as error:
                errors[name] = capitalised(str(error))
            else:
                values = more
        return errors

    def layout(self, suggested: StoreLayout) -> StoreLayout:
        """The layout, where a store's scale suggests another one; raises ``BadInput``."""
        values: dict[str, Any] = {}
        for name in (*FILE_TITLES, *FOLDER_TITLES):
            values |= self._read(name, suggested)
        return StoreLayout(**values)

    def _read(self, name: str, suggested: StoreLayout) -> dict[str, Any]:
        """The layout's fields that a row of the form stands for."""
        if name == "backup_folder":
            return {name: self.backup_folder.strip()}
        if name == "bulk_folder":
            return {name: self.bulk_folder.strip(), "bulk_folder_here": self.bulk_folder_here.strip()}
        typed: FilesDraft = getattr(self, name)
        if name == "log":
            size_mb = _whole("size of the log", typed.size_mb, suggested.log.size_mb)
            return {name: LogLayout(folder=typed.folder.strip(), size_mb=size_mb)}
        group = suggested.filegroups[name]
        return {
            name: FilegroupLayout(
                folder=typed.folder.strip(),
                files=_whole(f"files of {FILE_TITLES[name].lower()}", typed.files, group.files),
                size_mb=_whole(f"size of {FILE_TITLES[name].lower()}", typed.size_mb, group.size_mb),
            )
        }


def _whole(label: str, text: str, suggested: int) -> int:
    return read_whole(label, text) if text.strip() else suggested
