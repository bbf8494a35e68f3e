"""The files with which others can check a release: the SBOM, the licences, the checksums."""

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any
from urllib.parse import quote

from installed import version_of
from system_libraries import bundled, plain, put_licences, recorded
from tree import BUILD, DIST, PACKAGING, run


def write_sbom(program: Path) -> Path:
    """Write the SBOM of the frozen program in CycloneDX's JSON form: Python's packages, and the system's libraries."""
    shipped = _shipped()
    sbom = DIST / f"spindle-{version_of(program)}.cdx.json"
    run(
        [
            *(BUILD / "tools/bin/cyclonedx-py", "environment", BUILD / "program/bin/python"),
            *("--output-reproducible", "--output-format", "JSON", "--output-file", sbom),
        ]
    )
    described = json.loads(sbom.read_text(encoding="utf-8"))
    packages = [each for each in described["components"] if _plain(each["name"]) in shipped]
    kept = {each["bom-ref"] for each in packages}
    described["components"] = packages + [_component(name, version) for name, version in bundled(program).items()]
    described["dependencies"] = [
        each | {"dependsOn": [needed for needed in each.get("dependsOn", ()) if needed in kept]}
        for each in described["dependencies"]
        if each["ref"] in kept
    ]
    sbom.write_text(json.dumps(described, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return sbom


def _component(package: str, version: str) -> dict[str, Any]:
    licence = recorded().get(plain(package), "")
    return {
        "bom-ref": f"{package}={version}",
        "licenses": [{"expression": licence}],
        "name": package,
        "purl": f"pkg:deb/debian/{package}@{quote(version)}",
        "type": "library",
        "version": version,
    }


def write_licences(program: Path) -> Path:
    """Write the licence of each Python package and each system library, into ``dist`` and next to the program.

    Raises ``SystemExit`` for one that is not accepted.
    """
    put_licences(program)
    lines = run([BUILD / "program/bin/python", PACKAGING / "package/licences.py"])
    for name, version in bundled(program).items():
        lines += f"{name:28} {version:24} {recorded()[plain(name)]}\n"
    licences = DIST / "LICENCES.txt"
    licences.write_text(lines, encoding="utf-8")
    shutil.copy(licences, program)
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
