"""Reduces ICU's data: the 32 MB that come with Qt cover everything for all languages, of which Qt reads only the
collation rules.

Qt has its own tables of language names, currencies and formats, and does not transliterate. The removed data would
serve functions that Spindle never calls: long names of time zones, and encodings other than Unicode's and Latin-1. The
format is described in ICU's ``ucmndata.h``: a header, the number of items, for each item the offsets of its name and
its data from the position of that number, the names, the data.
"""

import re
import struct
from pathlib import Path

from tree import run

_HEADER_SIZE = struct.Struct("<H")
_COUNT = struct.Struct("<I")
_OFFSETS = struct.Struct("<II")
_ALIGNMENT = 16
_KEPT = re.compile(
    r"[^/]+/(coll/.*|[^/]+\.(icu|nrm)|(likelySubtags|numberingSystems|supplementalData|timezoneTypes|windowsZones)\.res)"
)


def reduce_icu_data(library: Path, work: Path) -> None:
    """Replace a ``libicudata.so.VERSION`` by one with only the data that Qt reads; ``work`` is a folder for temporary
    files."""
    version = library.name.rpartition(".")[2]
    symbol = f"icudt{version}_dat"
    work.mkdir(parents=True, exist_ok=True)
    data = work / "icu.dat"
    data.write_bytes(reduced(_symbol_content(library, symbol)))
    source = work / "icu.S"
    source.write_text(
        f".section .rodata\n.globl {symbol}\n.type {symbol}, @object\n.balign {_ALIGNMENT}\n{symbol}:\n"
        f'.incbin "{data}"\n'
        f".size {symbol}, . - {symbol}\n"
        '.section .note.GNU-stack, "", %progbits\n',
        encoding="utf-8",
    )
    run(["cc", "-shared", "-nostdlib", f"-Wl,-soname,{library.name}", "-o", library, source])


def reduced(data: bytes) -> bytes:
    """ICU's common data without the items that are removed."""
    (start,) = _HEADER_SIZE.unpack_from(data)
    (count,) = _COUNT.unpack_from(data, start)
    offsets = [_OFFSETS.unpack_from(data, start + _COUNT.size + index * _OFFSETS.size) for index in range(count)]
    ends = [begin for _, begin in offsets[1:]] + [len(data) - start]
    items = [
        (data[start + name : data.index(b"\0", start + name)], data[start + begin : start + end])
        for (name, begin), end in zip(offsets, ends, strict=True)
    ]
    kept = [item for item in items if _KEPT.fullmatch(item[0].decode("ascii"))]
    return data[:start] + _contents(kept)


def _contents(items: list[tuple[bytes, bytes]]) -> bytes:
    names, begins = [_COUNT.size + len(items) * _OFFSETS.size], []
    for name, _ in items:
        names.append(names[-1] + len(name) + 1)
    table, content = b"".join(name + b"\0" for name, _ in items), b""
    place = _aligned(names[-1])
    for _, item in items:
        begins.append(place + len(content))
        content += item.ljust(_aligned(len(item)), b"\0")
    head = _COUNT.pack(len(items)) + b"".join(map(_OFFSETS.pack, names, begins))
    return (head + table).ljust(place, b"\0") + content


def _aligned(size: int) -> int:
    return -(-size // _ALIGNMENT) * _ALIGNMENT


def _symbol_content(library: Path, symbol: str) -> bytes:
    """The bytes of a library's symbol, in a section with equal offsets in the file and in memory, such as .rodata."""
    listed = run(["readelf", "--wide", "--dyn-syms", library])
    found = re.search(rf"([0-9a-f]{{16}})\s+(0x[0-9a-f]+|\d+) OBJECT .* {symbol}$", listed, re.M)
    if found is None:
        raise SystemExit(f"make package: {library} has no {symbol}")
    begin = int(found[1], 16)
    return library.read_bytes()[begin : begin + int(found[2], 0)]
