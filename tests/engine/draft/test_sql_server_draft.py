import pytest

from engine.draft.sql_server_draft import AUTHENTICATION_TITLES, ENCRYPT_TITLES, SqlServerDraft
from engine.draft.target_draft import TargetDraft
from engine.errors import BadInput
from engine.target.kinds import kind_facts
from engine.target.sql_server_options import AUTHENTICATIONS
from engine.target.target import MSSQL


def _errors(hosts: str = "db1", driver: str = "", **fields: object) -> dict[str, str]:
    draft = SqlServerDraft(**fields)  # type: ignore[arg-type]
    return TargetDraft(kind=MSSQL, hosts=hosts, driver=driver, sql_server=draft).validate()


def test_every_choice_has_a_title() -> None:
    assert set(AUTHENTICATION_TITLES) == set(AUTHENTICATIONS)
    modes = {SqlServerDraft(encrypt=each).tls() for each in ENCRYPT_TITLES}
    assert modes | {SqlServerDraft(trust_server_certificate=True).tls()} == set(kind_facts(MSSQL).tls_modes)


@pytest.mark.parametrize(
    ("fields", "field", "words"),
    [
        (
            {"encrypt": "strict", "trust_server_certificate": True},
            "trust_server_certificate",
            "Strict encryption always",
        ),
        ({"encrypt": "no", "trust_server_certificate": True}, "trust_server_certificate", "Without encryption"),
        (
            {"failover_partner": "db2", "multi_subnet_failover": True},
            "failover_partner",
            "Failover partner and Listener can't be combined",
        ),
        ({"application_intent": "ReadOnly"}, "application_intent", "Application intent is ReadOnly"),
        ({"hosts": r"ag\prod", "multi_subnet_failover": True}, "multi_subnet_failover", "such as ag:1433"),
        (
            {"driver": "ODBC Driver 17 for SQL Server", "encrypt": "strict"},
            "driver",
            "does not support strict encryption",
        ),
        (
            {"driver": "FreeTDS", "multi_subnet_failover": True, "encrypt": "no"},
            "driver",
            "'FreeTDS' does not support Listener",
        ),
        (
            {"driver": "FreeTDS"},
            "driver",
            "or trust the certificate (Encrypted, with “Trust the server's certificate”).",
        ),
        ({"hosts": "", "multi_subnet_failover": True}, "hosts", "Hosts is empty"),
    ],
)
def test_conflicting_choices_are_reported_at_one_field(fields: dict[str, object], field: str, words: str) -> None:
    errors = _errors(**fields)  # type: ignore[arg-type]
    assert list(errors) == [field]
    assert words in errors[field]
    assert "_" not in errors[field]


def test_a_wrong_draft_makes_no_target() -> None:
    draft = TargetDraft(kind=MSSQL, hosts="db1", sql_server=SqlServerDraft(application_intent="ReadOnly"))
    with pytest.raises(BadInput):
        draft.target()
    with pytest.raises(BadInput, match="encryption is 'rot13'"):
        SqlServerDraft(encrypt="rot13").tls()


def test_stored_fields_of_another_kind_have_defaults() -> None:
    kept = {"encrypt": "strict", "trust_server_certificate": "yes", "multi_subnet_failover": True, "colour": "red"}
    assert SqlServerDraft.from_dict(kept) == SqlServerDraft(encrypt="strict", multi_subnet_failover=True)
