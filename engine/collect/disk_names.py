"""Which block devices of Linux are disks: whole devices, without those that are memory or a file."""

import re
from collections.abc import Collection

_NO_DISK = re.compile(r"(?:loop|ram|zram|sr|fd)\d")
# Where the kernel's list of whole devices can't be read: sda1, vdb2, xvda1; nvme0n1p1, mmcblk0p2, md0p1, nbd0p1.
_PARTITION = re.compile(r"(?:[hsv]|xv)d[a-z]+\d+|(?:nvme\d+n\d+|mmcblk\d+|md\d+|nbd\d+|loop\d+)p\d+")


def is_disk(name: str, whole: Collection[str] = ()) -> bool:
    """Whether a name of ``/proc/diskstats`` is a disk; ``whole`` are the names in ``/sys/block``, if they are known.

    Volumes of LVM, multipath devices and RAIDs are whole devices, besides the disks that they are on.
    """
    if _NO_DISK.match(name):
        return False
    return name.replace("/", "!") in whole if whole else not _PARTITION.fullmatch(name)
