"""The certificates of a lab's load machines: an authority of its own, and one certificate for each of its members.

Every holder of a certificate of the authority is accepted, and can then run code on every machine of the cluster; so
the authority serves this cluster only, and its key never leaves this machine. Keys use the curve P-256; only their
owner can read the files.

    cluster/ca.pem, ca.key                    the authority
    cluster/certificates/NAME/ca.pem          what a member needs, as a folder that can be copied to it
                              certificate.pem
                              key.pem
"""

import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from engine.cluster.extra import check_cluster_packages
from engine.cluster.starter import CONTROLLER, TlsFiles
from engine.errors import BadInput, Remedy, RemedyKind, UserError
from engine.figure_text import counted

if TYPE_CHECKING:
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey

SCHEDULER = "scheduler"
"""The common name in the certificate of the scheduler."""
SERVICES = (CONTROLLER, SCHEDULER)
"""The members of every cluster besides machines; no machine can have one of these names."""
AUTHORITY_YEARS, MEMBER_YEARS = 10, 2
SOON_DAYS = 30
"""A certificate that expires within this number of days is reported."""
_AUTHORITY = "Spindle cluster authority"
_PRIVATE, _PUBLIC = 0o600, 0o644
# Certificates are valid from this long before they are made, so that machines whose clocks are behind accept them.
_EARLIER = timedelta(days=1)


@dataclass(frozen=True, kw_only=True)
class Validity:
    """Until when a certificate is valid; ``name`` is its common name."""

    name: str
    ends_at: datetime

    @property
    def days_left(self) -> int:
        """Whole days from now; negative when it has expired."""
        return (self.ends_at - datetime.now(UTC)) // timedelta(days=1)

    @property
    def sentence(self) -> str:
        """When it expires, such as ``load1: valid until 2028-11-25``."""
        day = f"{self.ends_at:%Y-%m-%d}"
        if self.days_left < 0:
            return f"{self.name}: expired on {day}; renew it"
        if self.days_left < SOON_DAYS:
            left = counted(self.days_left, "day")
            return f"{self.name}: expires in {left}, on {day}; renew it"
        return f"{self.name}: valid until {day}"


class CertificateFolder:
    """The authority and the certificates that it has signed, below a folder of this machine."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @property
    def has_authority(self) -> bool:
        return self._authority.exists() and self._authority_key.exists()

    def folder(self, name: str) -> Path:
        """What a member needs; it need not be there."""
        return self._members / name

    def files(self, name: str) -> TlsFiles:
        """The files of a member; they need not be there."""
        return member_files(self.folder(name))

    def names(self) -> list[str]:
        """The members that have a certificate, in alphabetical order."""
        with suppress(OSError):
            return sorted(each.parent.name for each in self._members.glob("*/certificate.pem"))
        return []

    def validities(self) -> list[Validity]:
        """Until when each certificate is valid, the authority's first; raises ``UserError`` for one that is broken."""
        paths = [self._authority, *(Path(self.files(name).certificate) for name in self.names())]
        return [validity_of(path) for path in paths if path.exists()]

    def expiring(self) -> list[Validity]:
        """The certificates that have expired or will soon; raises ``UserError`` for one that is broken."""
        return [each for each in self.validities() if each.days_left < SOON_DAYS]

    def make(self, machines: Iterable[str], *, renew: bool = False) -> list[str]:
        """Make the missing certificates of the controller, the scheduler and these machines; returns whose were made.

        The authority is made first if there is none. With ``renew`` all are replaced, signed by the same authority
        unless that expires first. Raises ``UserError``.
        """
        check_cluster_packages()
        names = list(dict.fromkeys((*SERVICES, *map(checked_member, machines))))
        if not self.has_authority or self._ends_too_early():
            renew = True  # what the previous authority has signed is no longer valid
            self._make_authority()
        made = [name for name in names if renew or not Path(self.files(name).certificate).exists()]
        made += [name for name in self.names() if renew and name not in made]
        for name in made:
            self._make_member(name)
        return made

    @property
    def _authority(self) -> Path:
        return self._folder / "ca.pem"

    @property
    def _authority_key(self) -> Path:
        return self._folder / "ca.key"

    @property
    def _members(self) -> Path:
        return self._folder / "certificates"

    def _ends_too_early(self) -> bool:
        """Whether a member's certificate would outlive the authority's."""
        return validity_of(self._authority).days_left < MEMBER_YEARS * 365

    def _make_authority(self) -> None:
        from cryptography import x509
        from cryptography.hazmat.primitives import hashes
        from cryptography.hazmat.primitives.asymmetric import ec

        key = ec.generate_private_key(ec.SECP256R1())
        name = _common_name(_AUTHORITY)
        usage = _key_usage(signs_certificates=True)
        builder = _builder(name, name, key, AUTHORITY_YEARS)
        certificate = (
            builder.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(usage, critical=True)
            .sign(key, hashes.SHA256())
        )
        _write(self._authority_key, _key_pem(key), _PRIVATE)
        _write(self._authority, _pem(certificate), _PUBLIC)

    def _make_member(self, name: str) -> None:
        from cryptography import x509
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import ec
        from cryptography.x509.oid import ExtendedKeyUsageOID

        try:
            authority_pem = self._authority.read_bytes()
            signer = serialization.load_pem_private_key(self._authority_key.read_bytes(), None)
            authority = x509.load_pem_x509_certificate(authority_pem)
        except (OSError, ValueError) as error:
            raise UserError(
                f"the authority in {self._folder} can't be read ({error}); remove ca.pem and ca.key, and start the"
                " cluster again, which makes all certificates anew."
            ) from error
        assert isinstance(signer, ec.EllipticCurvePrivateKey), "we make no others"
        key = ec.generate_private_key(ec.SECP256R1())
        purposes = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]
        of_authority = x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key())
        certificate = (
            _builder(_common_name(name), authority.subject, key, MEMBER_YEARS)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(_key_usage(signs_certificates=False), critical=True)
            .add_extension(x509.ExtendedKeyUsage(purposes), critical=False)
            .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
            .add_extension(of_authority, critical=False)
            .sign(signer, hashes.SHA256())
        )
        files = self.files(name)
        _write(Path(files.key), _key_pem(key), _PRIVATE)
        _write(Path(files.certificate), _pem(certificate), _PUBLIC)
        _write(Path(files.ca), authority_pem, _PUBLIC)


def member_files(folder: Path) -> TlsFiles:
    """The files of a member's folder, as ``spindle cluster certificates`` makes it."""
    return TlsFiles(ca=str(folder / "ca.pem"), certificate=str(folder / "certificate.pem"), key=str(folder / "key.pem"))


def write_member(folder: Path, pems: dict[str, str]) -> TlsFiles:
    """Write the received files of a certificate, named as in ``TlsFiles``; only their owner can read the key."""
    files = member_files(folder)
    for name, mode in (("ca", _PUBLIC), ("certificate", _PUBLIC), ("key", _PRIVATE)):
        _write(Path(getattr(files, name)), pems[name].encode("ascii"), mode)
    return files


def read_member(files: TlsFiles) -> dict[str, str]:
    """The texts of the files, by the names of ``TlsFiles``; raises ``UserError``."""
    return {name: _read(Path(getattr(files, name))).decode("ascii") for name in ("ca", "certificate", "key")}


def checked_member(name: str) -> str:
    """The name of a machine that may have a certificate; raises ``BadInput`` for those of other members."""
    if name.casefold() in SERVICES:
        raise BadInput(
            f"machine '{name}' is called as the {name.casefold()} of every cluster is",
            remedy=Remedy(kind=RemedyKind.RENAME_MACHINE, name=name),
        )
    return name


def validity_of(path: Path) -> Validity:
    """Until when the certificate in a file is valid; raises ``UserError``."""
    from cryptography import x509
    from cryptography.x509.oid import NameOID

    try:
        certificate = x509.load_pem_x509_certificate(_read(path))
    except ValueError as error:
        remedy = Remedy(kind=RemedyKind.RENEW_CERTIFICATE)
        raise UserError(f"{path} is no certificate", remedy=remedy) from error
    names = certificate.subject.get_attributes_for_oid(NameOID.COMMON_NAME)
    return Validity(name=str(names[0].value) if names else path.stem, ends_at=certificate.not_valid_after_utc)


def check_member(files: TlsFiles) -> str:
    """The common name of a member whose files are all there and valid; raises ``UserError`` in one sentence."""
    check_cluster_packages()
    for path in (files.ca, files.certificate, files.key):
        _read(Path(path))
    validity = validity_of(Path(files.certificate))
    for each in (validity_of(Path(files.ca)), validity):
        if each.days_left < 0:
            raise UserError(f"the certificate of {each.sentence}.")
    return validity.name


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UserError(
            f"the certificate file {path} can't be read ({error.strerror})",
            remedy=Remedy(kind=RemedyKind.MAKE_CERTIFICATES),
        ) from error


def _write(path: Path, content: bytes, mode: int) -> None:
    """Replace a file; it never has more rights than ``mode``, not even while it is written."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        beside = path.with_name(f".{path.name}.{os.getpid()}.part")
        with suppress(FileNotFoundError):
            beside.unlink()
        with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            file.write(content)
        os.replace(beside, path)
    except OSError as error:
        raise UserError(f"{path} can't be written ({error.strerror or error}); check its folder.") from error


def _common_name(name: str) -> "x509.Name":
    from cryptography import x509
    from cryptography.x509.oid import NameOID

    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _builder(
    subject: "x509.Name", issuer: "x509.Name", key: "EllipticCurvePrivateKey", years: int
) -> "x509.CertificateBuilder":
    from cryptography import x509

    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _EARLIER)
        .not_valid_after(now + timedelta(days=365 * years))
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )


def _key_usage(*, signs_certificates: bool) -> "x509.KeyUsage":
    from cryptography import x509

    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def _key_pem(key: "EllipticCurvePrivateKey") -> bytes:
    from cryptography.hazmat.primitives import serialization

    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def _pem(certificate: "x509.Certificate") -> bytes:
    from cryptography.hazmat.primitives import serialization

    return certificate.public_bytes(serialization.Encoding.PEM)
