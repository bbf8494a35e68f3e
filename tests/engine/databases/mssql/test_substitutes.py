"""Builds and resets on a server that lacks a feature or refuses it: the alternative is used, and reported in one
sentence."""

import pytest

from engine.databases.database import BuildReport, Timeouts
from engine.databases.mssql.store import SqlServerStore
from engine.databases.progress import Progress
from engine.errors import TargetError
from engine.secrets import Secret
from engine.target.target import Target
from engine.workloads.dvdstore.bindings.mssql.store import STORE
from engine.workloads.dvdstore.layout import layout_for
from tests.doubles.recorded_sql_server import odbc_error
from tests.engine.databases.contract.places import SEED, SIZE, never, silent
from tests.engine.databases.mssql.recorded_store import RecordedStore

_DENIED = odbc_error(("42000", 262, "permission denied."))
_COMPLETE = "^UPDATE dbo.spindle_store SET state = 'complete'"


@pytest.fixture
def store(recorded_store: RecordedStore, target: Target) -> SqlServerStore:
    return SqlServerStore(target, Secret("horse battery staple"), Timeouts(), STORE)


def _built(store: SqlServerStore, told: list[Progress] | None = None) -> BuildReport:
    report_progress = silent if told is None else told.append
    return store.build(
        str(SIZE),
        SEED,
        replace=False,
        report_progress=report_progress,
        cancelled=never,
        layout=layout_for(SIZE),
    )


def _note(store: SqlServerStore, recorded_store: RecordedStore) -> str:
    """The one sentence of a build that came to its end: told, reported, and kept with the store."""
    told: list[Progress] = []
    (note,) = _built(store, told).notes
    shares = [progress.share for progress in told]
    assert shares == sorted(shares)
    kept = [sent.values for sent in recorded_store.sent if "SET notes" in sent.statement]
    assert kept == [(note,)]
    assert recorded_store.sent_like(_COMPLETE)
    assert "run" in note
    return note


def _lacks_full_text(recorded_store: RecordedStore) -> None:
    recorded_store.answers("IsFullTextInstalled", [(0,)])
    recorded_store.answers(r"^SELECT OBJECT_ID\(N'dbo.product_words'", [(1_234,)])


def test_a_build_on_a_whole_server_has_nothing_to_note(store: SqlServerStore, recorded_store: RecordedStore) -> None:
    assert _built(store).notes == ()
    assert recorded_store.sent_like("product_words .of_title|SET notes") == []


def test_without_full_text_search_the_build_makes_a_table_of_words(
    store: SqlServerStore, recorded_store: RecordedStore
) -> None:
    _lacks_full_text(recorded_store)
    note = _note(store, recorded_store)
    assert "mssql-server-fts" in note
    assert "compare runs on this store only with runs that search so too" in note
    assert recorded_store.sent_like("^CREATE FULLTEXT|CONTAINS") == []
    places = recorded_store.places(
        "^CREATE TABLE dbo.product_words", "^INSERT INTO dbo.product_words", "^CREATE PROCEDURE dbo.browse_by_title",
        _COMPLETE,
    )  # fmt: skip
    assert places == sorted(places)
    assert len(recorded_store.sent_like("^CREATE PROCEDURE dbo.browse_by_.*FROM dbo.product_words")) == 2


def test_a_full_text_index_that_is_refused_has_the_same_substitute(
    store: SqlServerStore, recorded_store: RecordedStore
) -> None:
    recorded_store.answers("CREATE FULLTEXT CATALOG", error=_DENIED)
    assert "Full-text search can't be used (permission denied)" in _note(store, recorded_store)
    assert recorded_store.sent_like("^INSERT INTO dbo.product_words")
    assert recorded_store.sent_like("TableFulltextPopulateStatus") == []


def test_a_connection_that_is_lost_at_the_full_text_index_has_no_substitute(
    store: SqlServerStore, recorded_store: RecordedStore
) -> None:
    recorded_store.answers("^CREATE FULLTEXT INDEX", error=odbc_error(("08S01", 0, "Communication link failure")))
    with pytest.raises(TargetError, match="link failure"):
        _built(store)
    assert recorded_store.sent_like("^INSERT INTO dbo.product_words") == []


def test_how_a_store_searches_is_recorded_with_a_run_and_warned_of(
    store: SqlServerStore, recorded_store: RecordedStore
) -> None:
    _server_facts(recorded_store)
    recorded_store.databases.add("shop")
    recorded_store.hold("complete")
    info = store.server()
    assert (info.settings["searches"], info.warnings) == ("full-text index", ())
    _lacks_full_text(recorded_store)
    recorded_store.answers("^SELECT notes FROM", [("The server lacks something.",)])
    info = store.server()
    assert (info.settings["searches"], info.settings["build"]) == (
        "indexed table of words",
        "The server lacks something.",
    )
    (warning,) = info.warnings
    assert "compare the run only with others that search so" in warning


def test_a_store_of_an_older_build_has_kept_no_notes(store: SqlServerStore, recorded_store: RecordedStore) -> None:
    _server_facts(recorded_store)
    recorded_store.databases.add("shop")
    recorded_store.hold("complete")
    recorded_store.answers("^SELECT notes FROM", error=odbc_error(("42S22", 207, "Invalid column name 'notes'.")))
    assert "build" not in store.server().settings


def test_verify_checks_the_table_of_words(store: SqlServerStore, recorded_store: RecordedStore) -> None:
    recorded_store.databases.add("shop")
    recorded_store.hold("complete")
    _lacks_full_text(recorded_store)
    recorded_store.answers("^SELECT COUNT_BIG", [(1,)])
    checks = {check.what: check for check in store.verify(report_progress=silent, cancelled=never)}
    assert checks["products without words"].found == "1"
    assert "full text of title" not in checks


def test_options_that_cant_be_set_stay_the_models(store: SqlServerStore, recorded_store: RecordedStore) -> None:
    recorded_store.answers("^ALTER DATABASE .* AUTO_CLOSE", error=_DENIED)
    assert "AUTO_CLOSE, AUTO_SHRINK and RECURSIVE_TRIGGERS stay" in _note(store, recorded_store)


@pytest.mark.parametrize("number", [40517, 41918])
def test_server_without_filegroups_gets_a_plain_database(
    store: SqlServerStore, recorded_store: RecordedStore, number: int
) -> None:
    refusal = odbc_error(("42000", number, "Files and filegroups are not supported."))
    recorded_store.answers("^CREATE DATABASE .shop. ON PRIMARY", error=refusal)
    assert "takes no files and filegroups" in _note(store, recorded_store)
    assert ("master", "CREATE DATABASE [shop]") in recorded_store.log
    assert "ON [PRIMARY]" in recorded_store.sent_like("^CREATE TABLE dbo.spindle_store")[0][1]


def test_a_folder_that_is_not_there_is_no_lack_of_the_servers(
    store: SqlServerStore, recorded_store: RecordedStore
) -> None:
    refusal = odbc_error(("42000", 5133, "Directory lookup for the file failed."), ("42000", 1802, "CREATE failed."))
    recorded_store.answers("^CREATE DATABASE", error=refusal)
    with pytest.raises(TargetError, match="Directory lookup"):
        _built(store)


def test_unchangeable_recovery_model_is_kept(store: SqlServerStore, recorded_store: RecordedStore) -> None:
    recorded_store.answers("SET RECOVERY", error=odbc_error(("42000", 5011, "User may not alter the database.")))
    assert "The recovery model can't be changed" in _note(store, recorded_store)
    assert len(recorded_store.sent_like("SET RECOVERY")) == 1


def test_hidden_files_count_as_primary(store: SqlServerStore, recorded_store: RecordedStore) -> None:
    recorded_store.answers("FROM sys.filegroups", error=_DENIED)
    recorded_store.answers("sys.database_mirroring", error=_DENIED)
    _built(store)
    assert "ON [PRIMARY]" in recorded_store.sent_like("^CREATE TABLE dbo.spindle_store")[0][1]
    assert recorded_store.sent_like("SET RECOVERY") == [], "it may have copies"


@pytest.mark.parametrize("is_right", [True, False])
def test_identities_are_queried_where_checking_is_refused(
    store: SqlServerStore, recorded_store: RecordedStore, is_right: bool
) -> None:
    recorded_store.answers("^DBCC CHECKIDENT", error=odbc_error(("42000", 2557, "User may not run DBCC CHECKIDENT.")))
    recorded_store.answers("IDENT_CURRENT", [(int(is_right),)])
    if is_right:
        assert "numbered on from the highest number" in _note(store, recorded_store)
        return
    with pytest.raises(TargetError, match="may not run"):
        _built(store)


def test_a_reset_whose_identities_cant_be_put_back_leaves_them(
    store: SqlServerStore, recorded_store: RecordedStore
) -> None:
    recorded_store.databases.add("shop")
    recorded_store.hold("complete")
    recorded_store.answers("^DBCC CHECKIDENT", error=odbc_error(("42000", 2557, "User may not run DBCC CHECKIDENT.")))
    told: list[Progress] = []
    store.reset(report_progress=told.append, cancelled=never)
    assert any("DBCC CHECKIDENT is refused" in progress.doing for progress in told)
    assert recorded_store.sent_like("^DBCC CHECKIDENT.*RESEED, ") == []
    assert [text for _, text in recorded_store.log].count("COMMIT") == 1


def _server_facts(recorded_store: RecordedStore) -> None:
    recorded_store.answers("'ProductVersion'", [("16.0", None, None, None, None, None, None, "DB1")])
    recorded_store.answers(r"^SELECT CAST\(DATABASEPROPERTYEX", [("READ_WRITE",)])
