"""A certificate authority of a test's own, and the certificate of a server that it has signed; made with openssl."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

_NEW_KEY = ("-newkey", "rsa:2048", "-nodes", "-days", "2")


@dataclass(frozen=True)
class Certificates:
    """The files of an authority, a server's certificate and its key, and an authority that has signed nothing."""

    authority: Path
    certificate: Path
    key: Path
    other_authority: Path


def make_certificates(folder: Path, *, names: str) -> Certificates:
    """For a server of these names, as ``subjectAltName`` has them; all may read the files, the servers' account too."""
    authority, other = _authority(folder, "authority"), _authority(folder, "other")
    key, request, certificate = folder / "server-key.pem", folder / "server.csr", folder / "server.pem"
    extensions = folder / "extensions"
    extensions.write_text(f"subjectAltName={names}\n", encoding="utf-8")
    _openssl("req", *_NEW_KEY[:-2], "-subj", "/CN=server", "-keyout", str(key), "-out", str(request))
    _openssl(
        "x509", "-req", "-in", str(request), "-CA", str(authority), "-CAkey", str(folder / "authority-key.pem"),
        "-set_serial", "2", "-days", "2", "-extfile", str(extensions), "-out", str(certificate),
    )  # fmt: skip
    folder.chmod(0o755)
    for path in (authority, other, certificate, key):
        path.chmod(0o644)
    return Certificates(authority, certificate, key, other)


def _authority(folder: Path, name: str) -> Path:
    path, key = folder / f"{name}.pem", folder / f"{name}-key.pem"
    _openssl("req", "-x509", *_NEW_KEY, "-subj", f"/CN={name}", "-keyout", str(key), "-out", str(path))
    return path


def _openssl(*arguments: str) -> None:
    subprocess.run(["openssl", *arguments], check=True, capture_output=True, timeout=60)
