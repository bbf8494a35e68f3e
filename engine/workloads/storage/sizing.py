"""How large the file of a storage workload is."""

import re
from dataclasses import dataclass
from typing import Any, Self

from engine.errors import BadInput
from engine.parameters.parameter import ValueType
from engine.workload.rows.estimate import StoreEstimate, TableEstimate

MB = 1024 * 1024
_LEAST_MB, _MOST_MB = 1, 16 * 1024 * 1024
_UNITS = {"": 1, "M": 1, "G": 1024, "T": 1024 * 1024}


@dataclass(frozen=True)
class FileSize:
    """The size of a file in MB of 1,048,576 bytes, as SQLIO, diskspd and fio count."""

    mb: int

    @classmethod
    def parse(cls, text: str, name: str = "file size") -> Self:
        """Read ``51200``, ``51200MB`` or ``50GB``; raises ``BadInput``, which begins with ``name``."""
        match = re.fullmatch(r"(\d{1,9})\s*([MGT]?)(?:i?B)?", text.strip(), re.IGNORECASE)
        size = 0 if match is None else int(match[1]) * _UNITS[match[2].upper()]
        if not _LEAST_MB <= size <= _MOST_MB:
            raise BadInput(f"{name} is '{text}'; give a size from 1MB to 16TB, such as 51200MB or 50GB.")
        return cls(size)

    def __str__(self) -> str:
        return f"{self.mb}MB"


@dataclass(frozen=True)
class FileSizeType(ValueType):
    """A ``FileSize``, typed as ``51200MB`` or ``50GB``."""

    def checked(self, name: str, value: object) -> FileSize:
        if isinstance(value, FileSize):
            return value
        if isinstance(value, bool) or not isinstance(value, int | str):
            raise BadInput(f"{name} is {value!r}; give a size such as 51200MB or 50GB.")
        return FileSize.parse(str(value), name)

    def read(self, name: str, text: str) -> FileSize:
        return FileSize.parse(text, name)

    def write(self, value: FileSize) -> str:
        return str(value)

    def plain(self, value: FileSize) -> Any:
        return str(value)


def estimate(size: FileSize) -> StoreEstimate:
    """What the file takes: its size."""
    file = TableEstimate(table="file", rows=1, rows_exact=True, data_bytes=size.mb * MB, index_bytes=0)
    return StoreEstimate(str(size), (file,))
