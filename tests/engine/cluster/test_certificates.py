import os
import ssl
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509

from engine.cluster.certificates import (
    MEMBER_YEARS,
    CertificateFolder,
    Validity,
    check_member,
    read_member,
    validity_of,
    write_member,
)
from engine.errors import BadInput, UserError


@pytest.fixture
def folder(tmp_path: Path) -> CertificateFolder:
    made = CertificateFolder(tmp_path / "cluster")
    assert made.make(["load1"]) == ["controller", "scheduler", "load1"]
    return made


def _certificate(path: str) -> x509.Certificate:
    return x509.load_pem_x509_certificate(Path(path).read_bytes())


def test_each_member_has_a_certificate_of_the_authority_in_its_own_name(folder: CertificateFolder) -> None:
    files = folder.files("load1")
    assert check_member(files) == "load1"
    strict = ssl.create_default_context(cafile=files.ca)
    strict.verify_flags |= ssl.VERIFY_X509_STRICT
    strict.load_cert_chain(files.certificate, files.key)
    authority = _certificate(files.ca)
    _certificate(files.certificate).verify_directly_issued_by(authority)
    assert [each.name for each in folder.validities()] == [
        "Spindle cluster authority",
        "controller",
        "load1",
        "scheduler",
    ]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such rights")
def test_only_their_owner_may_read_keys(folder: CertificateFolder, tmp_path: Path) -> None:
    keys = [*(tmp_path / "cluster").rglob("*.key"), *(tmp_path / "cluster").rglob("key.pem")]
    assert len(keys) == 4
    assert {stat.S_IMODE(each.stat().st_mode) for each in keys} == {0o600}


def test_what_is_there_is_kept_until_it_is_renewed(folder: CertificateFolder) -> None:
    before = {name: _certificate(folder.files(name).certificate).serial_number for name in folder.names()}
    assert folder.make(["load1", "load2"]) == ["load2"]
    assert _certificate(folder.files("load1").certificate).serial_number == before["load1"]
    authority = Path(folder.files("load1").ca).read_bytes()
    assert set(folder.make([], renew=True)) == {"controller", "scheduler", "load1", "load2"}
    after = {name: _certificate(folder.files(name).certificate).serial_number for name in before}
    assert set(after.values()).isdisjoint(before.values())
    assert Path(folder.files("load1").ca).read_bytes() == authority


def test_another_authority_makes_all_anew(folder: CertificateFolder, tmp_path: Path) -> None:
    (tmp_path / "cluster" / "ca.key").unlink()
    assert set(folder.make([])) == {"controller", "scheduler", "load1"}
    _certificate(folder.files("load1").certificate).verify_directly_issued_by(
        _certificate(str(tmp_path / "cluster" / "ca.pem"))
    )


def test_a_member_is_sent_and_written_elsewhere(folder: CertificateFolder, tmp_path: Path) -> None:
    there = write_member(tmp_path / "there", read_member(folder.files("load1")))
    assert check_member(there) == "load1"
    assert stat.S_IMODE(Path(there.key).stat().st_mode) == 0o600 or os.name == "nt"


def test_expiry_is_reported() -> None:
    now = datetime.now(UTC)
    assert Validity(name="a", ends_at=now + timedelta(days=400)).sentence.startswith("a: valid until 2")
    assert "a: expires in 9 days, on " in Validity(name="a", ends_at=now + timedelta(days=9, hours=1)).sentence
    assert "renew it" in Validity(name="a", ends_at=now + timedelta(days=1)).sentence
    assert "a: expired on " in Validity(name="a", ends_at=now - timedelta(seconds=5)).sentence


def test_certificates_that_expire_soon_are_found(folder: CertificateFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    assert folder.expiring() == []
    monkeypatch.setattr("engine.cluster.certificates.SOON_DAYS", MEMBER_YEARS * 365)
    assert [each.name for each in folder.expiring()] == folder.names()


def test_files_that_can_not_be_used_are_named(folder: CertificateFolder) -> None:
    files = folder.files("load1")
    Path(files.certificate).write_text("no certificate")
    with pytest.raises(UserError, match=r"certificate\.pem is no certificate; renew it"):
        validity_of(Path(files.certificate))
    Path(files.key).unlink()
    with pytest.raises(UserError, match=r"key\.pem can't be read \(No such file or directory\); make certificates"):
        check_member(files)


@pytest.mark.parametrize("name", ["controller", "Scheduler"])
def test_a_machine_can_not_be_called_as_a_service(folder: CertificateFolder, name: str) -> None:
    with pytest.raises(BadInput, match=f"machine '{name}' is called as the {name.lower()} of every cluster is; give"):
        folder.make([name])
