"""Checks of a file and its disk before it is written to."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from engine.errors import UserError
from engine.figure_text import whole
from engine.services.storage.place import Place

ROOM_FACTOR = 1.2
"""The free space that a file needs, as a multiple of its size: on a full disk file systems slow down and databases
stop."""
_KB_OF_A_MB = 1024
_SHARED_BLOCKS = ("btrfs", "zfs", "bcachefs", "overlayfs", "apfs")
_IN_MEMORY = ("tmpfs", "ramfs")
_PRODUCTS = {"postgresql": "PostgreSQL", "mariadb": "MariaDB or MySQL", "mssql": "SQL Server"}

_SCRIPT = r"""
p=$1
d=$(dirname -- "$p")
[ -d "$d" ] || { echo folder=no; exit 0; }
echo folder=yes
[ -w "$d" ] && echo writable=yes
if [ -b "$p" ] || [ -c "$p" ]; then echo device=yes
elif [ -f "$p" ]; then
  echo exists=yes
  echo "bytes=$(wc -c < "$p")"
  echo "allocated_kb=$(du -k -- "$p" | cut -f1)"
elif [ -e "$p" ]; then echo other=yes
fi
m=$(findmnt -no MAJ:MIN -T "$d" 2>/dev/null | tr -d ' ')
b=$(readlink -f "/sys/dev/block/$m" 2>/dev/null)
[ -e "$b/partition" ] && b=${b%/*}
[ -n "$m" ] && [ -e "$b" ] && echo "device_name=${b##*/}"
df -Pk -- "$d" | awk 'NR == 2 { print "free_kb=" $4; print "disk=" $1 }'
echo "filesystem=$(stat -f -c %T -- "$d" 2>/dev/null)"
x=$(cd -- "$d" && pwd -P)
while :; do
  [ -e "$x/PG_VERSION" ] && { echo "postgresql=$x"; break; }
  [ -d "$x/archive_status" ] && { echo "postgresql=$x"; break; }
  case "${x##*/}" in PG_[0-9]*) echo "postgresql=$x"; break;; esac
  if [ -e "$x/ibdata1" ] || [ -e "$x/aria_log_control" ]; then echo "mariadb=$x"; break; fi
  [ -e "$x/master.mdf" ] && { echo "mssql=$x"; break; }
  [ "$x" = / ] && break
  x=$(dirname -- "$x")
done
{ ps -A -o comm= || cat /proc/[0-9]*/comm; } 2>/dev/null | while read -r c; do case "${c##*/}" in
  postgres|postmaster) echo running_postgresql=yes;;
  mysqld|mariadbd) echo running_mariadb=yes;;
  sqlservr) echo running_mssql=yes;;
esac; done
exit 0
"""


@dataclass(frozen=True, kw_only=True)
class FileFacts:
    """The present state of a file, its folder and its file system.

    ``size_bytes`` is ``None`` without the file; ``allocated_bytes`` is what it occupies on the disk, which is less than
    its size if parts were never written. ``disk`` is what the file system is on, and ``device`` its whole block device,
    for which the kernel counts I/Os; empty if it is not known, or if the file system is on several. ``database`` is the
    data directory that the file is in, if any, and ``product`` the DBMS that it belongs to; ``is_running`` says whether
    servers of that product run on the machine.
    """

    has_folder: bool
    is_writable: bool = False
    is_device: bool = False
    is_other: bool = False
    size_bytes: int | None = None
    allocated_bytes: int = 0
    free_bytes: int = 0
    disk: str = ""
    device: str = ""
    filesystem: str = ""
    database: str = ""
    product: str = ""
    is_running: bool = False


def facts_of(place: Place, path: str) -> FileFacts:
    """Read the facts of a file; changes nothing. Raises ``UserError`` when the machine does not answer."""
    said = place.run(["sh", "-c", _SCRIPT, "sh", path])
    found = dict(line.split("=", 1) for line in said.output.splitlines() if "=" in line)
    if "folder" not in found:
        raise UserError(f"{place.name} does not say what {path} is ({said.errors.strip() or 'no answer'}).")
    kind = next((each for each in _PRODUCTS if each in found), "")
    return FileFacts(
        has_folder=found["folder"] == "yes",
        is_writable="writable" in found,
        is_device="device" in found,
        is_other="other" in found,
        size_bytes=int(found["bytes"]) if "exists" in found else None,
        allocated_bytes=_KB_OF_A_MB * _whole(found, "allocated_kb"),
        free_bytes=_KB_OF_A_MB * _whole(found, "free_kb"),
        disk=found.get("disk", ""),
        device=found.get("device_name", ""),
        filesystem=found.get("filesystem", ""),
        database=found.get(kind, ""),
        product=_PRODUCTS.get(kind, ""),
        is_running=f"running_{kind}" in found,
    )


def _whole(found: Mapping[str, str], name: str) -> int:
    text = found.get(name, "").strip()
    return int(text) if text.isdecimal() else 0


def check_place(facts: FileFacts, place: Place, path: str, *, device: str = "") -> None:
    """Raise ``UserError`` if the file must not be written; ``device`` is the device name that the user typed as
    confirmation."""
    where = f"{path} on {place.name}"
    if not facts.has_folder:
        raise UserError(f"the folder of {where} does not exist; give the path of a file in one that does.")
    if facts.is_device and device != path.rpartition("/")[2]:
        raise UserError(
            f"{where} is a device, all of whose data would be overwritten; give the path of a file, or add"
            f" ?device={path.rpartition('/')[2]} to the target if nothing on it is needed."
        )
    if facts.is_other:
        raise UserError(f"{where} is neither a file nor a device; give the path of a file.")
    if facts.database and facts.is_running:
        raise UserError(
            f"{where} is in {facts.database}, the data directory of {facts.product}, whose server is running there;"
            " give a path outside of it, or stop the server."
        )
    if not facts.is_device and not facts.is_writable:
        raise UserError(f"the folder of {where} can't be written to; give another one, or allow it.")


def check_room(facts: FileFacts, place: Place, path: str, file_mb: int) -> None:
    """Raise ``UserError`` unless the disk has room for a file of this size, and a fifth more."""
    if facts.is_device:
        return
    needed_mb = math.ceil(ROOM_FACTOR * file_mb)
    free_mb = (facts.free_bytes + facts.allocated_bytes) // (_KB_OF_A_MB * _KB_OF_A_MB)
    if free_mb < needed_mb:
        raise UserError(
            f"a file of {whole(file_mb)} MB needs {whole(needed_mb)} MB of room, and the disk of {path} on"
            f" {place.name} has {whole(free_mb)} MB; give a smaller file, or another disk."
        )


def remarks_on(facts: FileFacts) -> tuple[str, ...]:
    """Sentences on the file system that matter for judging a result."""
    if facts.filesystem in _IN_MEMORY:
        return (f"the file system is {facts.filesystem}, which is in memory: no disk is measured",)
    if facts.filesystem in _SHARED_BLOCKS:
        return (
            f"the file system is {facts.filesystem}, which writes changed blocks to a new place (copy on write): random"
            " writes cost more there, and reads after them find the file scattered",
        )
    return ()


THIN = (
    "all blocks were written once, so that no run measures how thinly provisioned storage allocates them, or reads"
    " zeros that were never stored"
)
