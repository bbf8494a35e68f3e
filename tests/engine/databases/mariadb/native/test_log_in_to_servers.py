"""Logging in to real servers: each method, with and without TLS, and a certificate that is checked."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from engine.databases.database import Timeouts
from engine.databases.mariadb.dialect import dialect_of
from engine.databases.odbc.connecting import connect_any
from engine.errors import ErrorClass, TargetError, UserError
from engine.secrets import Secret
from engine.target.target import Host, Target
from tests.doubles.certificates import Certificates, make_certificates
from tests.doubles.mariadb_server import MariaDBServer, running_server
from tests.doubles.mysql_server import MYSQL_80, running_mysql
from tests.engine.databases.mariadb.native.servers import connected

pytest.importorskip("engine.databases.exchange._exchange", reason="set up without a C compiler")
pytestmark = [
    pytest.mark.skipif(os.name == "nt", reason="the servers are Linux's"),
    pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the servers' certificates"),
]

_PASSWORD = Secret("correct horse battery staple, ünïcode")
_WRONG = Secret("rosebud")
_NATIVE, _CACHING, _SHA256 = "mysql_native_password", "caching_sha2_password", "sha256_password"


@pytest.fixture(scope="module")
def certificates() -> Iterator[Certificates]:
    folder = Path(tempfile.mkdtemp(prefix="spindle-certificates-"))
    try:
        yield make_certificates(folder, names="IP:127.0.0.1")
    finally:
        shutil.rmtree(folder)


def _options(certificates: Certificates) -> tuple[str, ...]:
    files = {"ca": certificates.authority, "cert": certificates.certificate, "key": certificates.key}
    return tuple(f"--ssl-{name}={path}" for name, path in files.items())


@pytest.fixture(scope="module")
def mysql(certificates: Certificates) -> Iterator[MariaDBServer]:
    with running_mysql(MYSQL_80, *_options(certificates)) as server:
        yield server


@pytest.fixture(scope="module")
def mariadb(certificates: Certificates) -> Iterator[MariaDBServer]:
    with running_server(*_options(certificates)) as server:
        yield server


@pytest.fixture(params=["mysql", "mariadb"])
def server(request: pytest.FixtureRequest) -> MariaDBServer:
    found: MariaDBServer = request.getfixturevalue(request.param)
    return found


def target_of(server: MariaDBServer, *, user: str = "root", tls: str = "disable", ca_file: str = "") -> Target:
    return replace(server.target("information_schema"), user=user, tls=tls, ca_file=ca_file)


def make_user(server: MariaDBServer, name: str, identified: str) -> None:
    """A user that nobody has logged in as: no server remembers the password."""
    with connected(target_of(server), server.secret) as root:
        root.query(f"DROP USER IF EXISTS {name}")
        root.query(f"CREATE USER {name} {identified}")


def make_mysql_user(server: MariaDBServer, method: str, password: str = _PASSWORD.reveal()) -> Target:
    make_user(server, "loader", f"IDENTIFIED WITH {method} BY '{password}'")
    return target_of(server, user="loader")


def who(target: Target, secret: Secret | None) -> tuple[str | None, bool]:
    """Who one is on the server, and whether the server, too, takes the connection for encrypted."""
    with connected(target, secret) as client:
        ((name,),) = client.query("SELECT user()")
        ((_, cipher),) = client.query("SHOW SESSION STATUS LIKE 'Ssl_cipher'")
        assert client.is_encrypted == bool(cipher)
        assert name is not None
        return name.split("@")[0], client.is_encrypted


def refused(target: Target, secret: Secret | None) -> TargetError:
    with pytest.raises(TargetError) as caught, connected(target, secret):
        raise AssertionError("it was let in")
    assert "rosebud" not in str(caught.value)
    return caught.value


@pytest.mark.parametrize("tls", ["disable", "prefer", "require"])
@pytest.mark.parametrize("method", [_NATIVE, _CACHING, _SHA256])
def test_login_to_mysql_by_each_method(mysql: MariaDBServer, method: str, tls: str) -> None:
    target = replace(make_mysql_user(mysql, method), tls=tls)
    for _ in range(2):
        assert who(target, _PASSWORD) == ("loader", tls != "disable")
    refusal = refused(target, _WRONG)
    assert (refusal.error_class, refusal.code) == (ErrorClass.REJECTED, "1045")
    assert who(target, _PASSWORD) == ("loader", tls != "disable")


@pytest.mark.parametrize("tls", ["disable", "require"])
@pytest.mark.parametrize("method", [_NATIVE, _CACHING, _SHA256])
def test_login_to_mysql_without_a_password(mysql: MariaDBServer, method: str, tls: str) -> None:
    target = replace(make_mysql_user(mysql, method, password=""), tls=tls)
    assert who(target, None) == ("loader", tls != "disable")
    assert refused(target, _WRONG).error_class is ErrorClass.REJECTED


def test_expired_password_is_reported(mysql: MariaDBServer) -> None:
    target = make_mysql_user(mysql, _CACHING)
    with connected(target_of(mysql), mysql.secret) as root:
        root.query("ALTER USER loader PASSWORD EXPIRE")
    refusal = refused(target, _PASSWORD)
    assert (refusal.error_class, refusal.code) == (ErrorClass.REJECTED, "1862")
    assert "password has expired" in str(refusal)


def test_locked_account_is_reported(server: MariaDBServer) -> None:
    make_user(server, "loader", f"IDENTIFIED BY '{_PASSWORD.reveal()}' ACCOUNT LOCK")
    assert refused(target_of(server, user="loader"), _PASSWORD).error_class is ErrorClass.REJECTED


@pytest.mark.parametrize("tls", ["disable", "require"])
def test_login_to_mariadb_by_native_password(mariadb: MariaDBServer, tls: str) -> None:
    make_user(mariadb, "loader", f"IDENTIFIED BY '{_PASSWORD.reveal()}'")
    target = target_of(mariadb, user="loader", tls=tls)
    assert who(target, _PASSWORD) == ("loader", tls != "disable")
    assert refused(target, _WRONG).error_class is ErrorClass.REJECTED


def test_login_to_mariadb_by_ed25519(mariadb: MariaDBServer) -> None:
    with connected(target_of(mariadb), mariadb.secret) as root:
        try:
            root.query("INSTALL SONAME 'auth_ed25519'")
        except AssertionError as absent:
            pytest.skip(f"the server has no such method: {absent}")
    make_user(mariadb, "loader", f"IDENTIFIED VIA ed25519 USING PASSWORD('{_PASSWORD.reveal()}')")
    target = target_of(mariadb, user="loader")
    assert who(target, _PASSWORD) == ("loader", False)
    assert refused(target, _WRONG).error_class is ErrorClass.REJECTED


def test_pre_41_password_is_reported(mariadb: MariaDBServer) -> None:
    with connected(target_of(mariadb), mariadb.secret) as root:
        root.query("CREATE OR REPLACE USER loader IDENTIFIED VIA mysql_old_password")
    refusal = refused(target_of(mariadb, user="loader"), _PASSWORD)
    assert (refusal.error_class, refusal.code) == (ErrorClass.REJECTED, "1275")


@pytest.mark.parametrize("tls", ["verify-ca", "verify-full"])
def test_a_certificate_of_the_named_authority_is_good(
    server: MariaDBServer, certificates: Certificates, tls: str
) -> None:
    target = target_of(server, tls=tls, ca_file=str(certificates.authority))
    assert who(target, server.secret) == ("root", True)


@pytest.mark.parametrize("tls", ["verify-ca", "verify-full"])
@pytest.mark.parametrize("ca_file", ["other", ""])
def test_a_certificate_of_another_authority_is_refused(
    server: MariaDBServer, certificates: Certificates, tls: str, ca_file: str
) -> None:
    target = target_of(server, tls=tls, ca_file=ca_file and str(certificates.other_authority))
    assert "certificate" in str(refused(target, server.secret))


def test_only_verify_full_checks_the_host_name(server: MariaDBServer, certificates: Certificates) -> None:
    target = target_of(server, tls="verify-ca", ca_file=str(certificates.authority))
    named = replace(target, hosts=(Host("localhost", server.port),))
    assert who(named, server.secret) == ("root", True)
    refusal = refused(replace(named, tls="verify-full"), server.secret)
    assert "localhost" in str(refusal)
    assert "certificate" in str(refusal)


def odbc_cipher(server: MariaDBServer, target: Target) -> str:
    connection, _ = connect_any(dialect_of(target.kind), target, server.secret, Timeouts())
    try:
        ((_, cipher),) = connection.query("SHOW SESSION STATUS LIKE 'Ssl_cipher'")
        return str(cipher)
    finally:
        connection.close()


def test_odbc_checks_the_certificate_with_the_named_authority_too(
    server: MariaDBServer, certificates: Certificates
) -> None:
    target = target_of(server, tls="verify-full", ca_file=str(certificates.authority))
    assert odbc_cipher(server, target)
    with pytest.raises(TargetError, match=r"(?i)certificate"):
        odbc_cipher(server, replace(target, ca_file=str(certificates.other_authority)))


@pytest.mark.parametrize("road", ["native", "odbc"])
def test_invalid_ca_file_is_reported(mariadb: MariaDBServer, tmp_path: Path, road: str) -> None:
    absent, nonsense = tmp_path / "absent.pem", tmp_path / "nonsense.pem"
    nonsense.write_text("no certificate", encoding="utf-8")
    for path, words in ((absent, "can't be read (No such file"), (nonsense, "holds no certificate in PEM")):
        target = target_of(mariadb, tls="verify-full", ca_file=str(path))
        with pytest.raises(UserError) as caught:
            who(target, mariadb.secret) if road == "native" else odbc_cipher(mariadb, target)
        assert words in str(caught.value)
        assert str(caught.value).startswith(f"sslrootcert is '{path}'")
