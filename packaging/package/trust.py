"""What lets others check a release: the SBOM, the licences of what is shipped, checksums."""

import hashlib
import json
from pathlib import Path

from tree import BUILD, DIST, PACKAGING, run


def write_sbom(wheel: Path) -> Path:
    """Write the SBOM of the frozen program in CycloneDX's JSON form: Spindle and what it was installed with."""
    shipped = _shipped()
    sbom = DIST / f"spindle-{wheel.name.split('-')[1]}.cdx.json"
    run(
        [
            *(BUILD / "tools/bin/cyclonedx-py", "environment", BUILD / "program/bin/python"),
            *("--output-reproducible", "--output-format", "JSON", "--output-file", sbom),
        ]
    )
    described = json.loads(sbom.read_text(encoding="utf-8"))
    described["components"] = [each for each in described["components"] if _plain(each["name"]) in shipped]
    sbom.write_text(json.dumps(described, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return sbom


def write_licences() -> Path:
    """Write the licence of each package of the frozen program; raises ``SystemExit`` for one under the GPL alone."""
    licences = DIST / "LICENCES.txt"
    licences.write_text(run([BUILD / "program/bin/python", PACKAGING / "package/licences.py"]), encoding="utf-8")
    return licences


def write_checksums() -> Path:
    """Write ``SHA256SUMS`` of all files in ``dist``, for ``sha256sum --check``."""
    checksums = DIST / "SHA256SUMS"
    files = sorted(each for each in DIST.iterdir() if each != checksums)
    checksums.write_text(
        "".join(f"{hashlib.sha256(each.read_bytes()).hexdigest()}  {each.name}\n" for each in files), encoding="ascii"
    )
    return checksums


def _shipped() -> set[str]:
    lines = run([BUILD / "program/bin/python", PACKAGING / "package/licences.py"]).splitlines()
    return {_plain(line.split()[0]) for line in lines}


def _plain(name: str) -> str:
    return name.lower().replace("_", "-").replace(".", "-")
