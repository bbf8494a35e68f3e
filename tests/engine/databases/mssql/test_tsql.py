"""Every batch of T-SQL is parsed; what the parser does not know is held against its documented form."""

import re
from collections.abc import Iterator
from importlib.resources import files

import pytest
import sqlglot
from sqlglot import exp
from sqlglot.optimizer.qualify import qualify

import resources
from engine.databases.mssql import (
    accounts,
    backup,
    build,
    closed_database,
    creation,
    environment,
    lease,
    log_space,
    replacement,
    replicas,
    resetting,
    snapshot,
    store,
    substitutes,
    verify,
)
from engine.databases.mssql.definition import SqlServerDefinition
from engine.databases.mssql.files import creation as database_batches
from engine.databases.mssql.load_rows import Destination, insert_statement
from engine.databases.mssql.scripts import DBO, Sql, batches_of, binary, identifier, literal, number, script
from engine.workload.rows.columns import Kind
from engine.workloads.brokerage.bindings.mssql.store import STORE as BROKERAGE
from engine.workloads.brokerage.schema import TABLES as BROKERAGE_TABLES
from engine.workloads.brokerage.sizing import Size
from engine.workloads.dvdstore.bindings.mssql.store import STORE
from engine.workloads.dvdstore.layout import layout_for
from engine.workloads.dvdstore.schema import TABLES
from engine.workloads.dvdstore.sizing import DbSize
from engine.workloads.wholesale.bindings.mssql.store import STORE as WHOLESALE
from engine.workloads.wholesale.schema import TABLES as WHOLESALE_TABLES
from tests.engine.databases.mssql.recorded_store import COUNTS

_NAME = r"\[(?:[^\]]|\]\])+\]"
_TEXT = r"N?'(?:[^']|'')*'"
# Microsoft's documentation of each statement, as far as it is used here.
_DOCUMENTED = (
    rf"BACKUP DATABASE {_NAME} TO DISK = {_TEXT} WITH FORMAT, INIT, CHECKSUM(?:, COPY_ONLY)?, NAME = {_TEXT}",
    rf"RESTORE DATABASE {_NAME} FROM DISK = {_TEXT} WITH REPLACE, RECOVERY, CHECKSUM(?:, MOVE {_TEXT} TO {_TEXT})+",
    rf"DBCC CHECKIDENT \({_TEXT}, RESEED(?:, \d+)?\) WITH NO_INFOMSGS",
    rf"ALTER DATABASE {_NAME} SET (?:OFFLINE WITH ROLLBACK IMMEDIATE|AUTO_CLOSE OFF, AUTO_SHRINK OFF,"
    r" RECURSIVE_TRIGGERS OFF)",
    rf"CREATE DATABASE {_NAME} ON PRIMARY \(.*\)(?:, FILEGROUP {_NAME} \(.*?\))+ LOG ON \(.*?\)",
    r"IF NOT EXISTS \(SELECT.*\) CREATE FULLTEXT CATALOG \w+ WITH ACCENT_SENSITIVITY = ON",
    r"CREATE FULLTEXT INDEX ON dbo\.products \(title LANGUAGE 0x0, actor LANGUAGE 0x0\) KEY INDEX \w+"
    rf" ON \(\w+, FILEGROUP {_NAME}\) WITH \(CHANGE_TRACKING = AUTO, STOPLIST = OFF\)",
    r"ALTER SEQUENCE dbo\.\w+ RESTART",
    r"UPDATE STATISTICS dbo\.\w+ WITH SAMPLE 18 PERCENT",
    rf"GRANT EXECUTE ON OBJECT::dbo\.\w+ TO {_NAME}",
    r"IF EXISTS \(SELECT.*\) DROP FULLTEXT (?:INDEX ON dbo\.products|CATALOG spindle_catalog)",
    rf"IF SUSER_ID\({_TEXT}\) IS NULL CREATE LOGIN {_NAME} WITH PASSWORD = {_TEXT}, SID = 0x[0-9a-f]{{32}},"
    r" DEFAULT_DATABASE = master, CHECK_EXPIRATION = OFF, CHECK_POLICY = ON",
    rf"IF EXISTS \(SELECT.*\) BEGIN ALTER LOGIN {_NAME} WITH CHECK_POLICY = OFF;"
    rf" ALTER LOGIN {_NAME} WITH PASSWORD = {_TEXT}; ALTER LOGIN {_NAME} WITH CHECK_POLICY = ON; END",
    rf"IF DATABASE_PRINCIPAL_ID\({_TEXT}\) IS NULL CREATE USER {_NAME} FOR LOGIN {_NAME}"
    rf" ELSE IF EXISTS \( SELECT.*SUSER_SID\({_TEXT}\) \) ALTER USER {_NAME} WITH LOGIN = {_NAME}",
)
_HOSTILE = "o'b]r--ien"
_GROUPS = {name: identifier(f"spindle_{name}") for name in ("customers", "orders", "indexes", "misc")}
_VALUES = {
    **_GROUPS,
    "database": identifier(_HOSTILE),
    "copy_only": Sql(", COPY_ONLY"),
    "file": literal("/b'ackup/a.bak"),
    "moves": Sql(f"MOVE {literal('a')} TO {literal('/d/a.mdf')}"),
    "schema": DBO,
    "table": Sql("products"),
    "name": identifier(_HOSTILE),
    "name_text": literal(_HOSTILE),
    "password": literal("Aa1-'x"),
    "sid": binary(bytes(range(16))),
    "procedures": Sql("(N'dbo.login'), (N'dbo.purchase')"),
}
_MODULES = (
    accounts, backup, build, closed_database, creation, environment, log_space, replacement, replicas, resetting,
    snapshot, store, substitutes, verify,
)  # fmt: skip
_QUERIES = {
    f"{module.__name__}{name}.{part}": text
    for module in _MODULES
    for name, value in vars(module).items()
    if name.isupper()
    for part, text in (value.items() if isinstance(value, dict) else [("", value)])
    if isinstance(text, str) and text.startswith(("SELECT", "UPDATE", "INSERT"))
} | {
    f"lease.{name}": getattr(lease.lease_sql(STORE), name)
    for name in ("found", "read", "take", "beat", "release", "identity", "added_above")
}


def _names(*folders: str) -> set[str]:
    folder = files(resources).joinpath("sql", *folders)
    return {each.name.removesuffix(".sql") for each in folder.iterdir() if each.name.endswith(".sql")}


_OWN = _names("mssql")


_STORES = {each.workload: each for each in (STORE, WHOLESALE, BROKERAGE)}
_COUNTS = {
    "dvdstore": COUNTS,
    "wholesale": {"warehouses": 2, "payments": 60_000, "order_lines": 600_000},
    "brokerage": {f"{table}_rows": rows for table, rows in Size(2_000).rows().items()},
}


def _scripts() -> list[str]:
    """Those of every workload, and by the workload and its name those of each."""
    return sorted(_OWN | {f"{workload}/{name}" for workload in _STORES for name in _names(workload, "mssql")})


def _text(name: str) -> str:
    workload, _, name = name.rpartition("/")
    text = _STORES[workload].script(name) if workload else script(name)
    return text.format(after=1, to=2) if name == "audit_history" else text


def _batches(name: str) -> list[str]:
    if name == "database":
        return database_batches(_HOSTILE, layout_for(DbSize(100, "GB")), data_folder="/d", log_folder="/l")
    if name.endswith("/reset"):
        counts = _COUNTS[name.partition("/")[0]]
        return batches_of(_text(name), **{count: number(value) for count, value in counts.items()})
    return batches_of(_text(name), **_VALUES)


def _statements(batch: str) -> Iterator[str]:
    """The statements of a procedure or trigger without what frames them; any other batch as it is."""
    batch = re.sub(r" WITH \(TABLOCK\) \(", " (", batch)  # the parser knows the hint on a target only without columns
    batch = re.sub(
        r"(?s)(DELETE [a-z]\b.*?)\s+OPTION \([A-Z, ]+\)", r"\1", batch
    )  # hints of a query, but not of a DELETE
    batch = re.sub(r"INSERT INTO @\w+ \(\w+\) EXECUTE", "EXECUTE", batch)  # rows of a query, but not of a procedure
    batch = re.sub(r"\b(?:BEGIN|END) (?:TRY|CATCH);?", "", batch)
    frame = re.match(r"CREATE TRIGGER dbo\.\w+ ON dbo\.\w+\s+AFTER UPDATE\s+AS\s+BEGIN\n(.*)END", batch, re.DOTALL)
    yield frame[1] if frame else batch


@pytest.mark.parametrize("name", _scripts())
def test_every_batch_is_known_to_the_parser_or_as_it_is_documented(name: str) -> None:
    found = _batches(name)
    assert found
    for batch in found:
        flat = " ".join(batch.split())
        if any(re.fullmatch(form, flat) for form in _DOCUMENTED):
            continue
        for statement in _statements(batch):
            trees = sqlglot.parse(statement, dialect="tsql", error_level=sqlglot.ErrorLevel.RAISE)
            on_trust = [command.sql() for tree in trees if tree for command in tree.find_all(exp.Command)]
            assert on_trust == [], f"{name}: the parser took this for granted"


@pytest.mark.parametrize("name", _scripts())
def test_a_constant_that_no_int_holds_is_made_a_bigint(name: str) -> None:
    """It is a decimal else, and so is what is computed with it; over ODBC that comes as a text."""
    for batch in _batches(name):
        for constant in re.findall(r"(?<![\w.])\d{10,}(?!\w)", batch):
            assert int(constant) < 2**31 or f"CAST({constant} AS bigint)" in batch


@pytest.mark.parametrize("text", _QUERIES.values(), ids=_QUERIES.keys())
def test_every_query_of_the_code_is_known_to_the_parser(text: str) -> None:
    statement = re.sub(r"\{(?:table|column)\}", "a", text.replace("{names}", "N'a'").replace("{schema}", "dbo"))
    (tree,) = sqlglot.parse(statement, dialect="tsql", error_level=sqlglot.ErrorLevel.RAISE)
    assert isinstance(tree, exp.Select | exp.Update | exp.Insert)


_LOADED = [(name, table) for name, store in _STORES.items() for table in store.load_order]


@pytest.mark.parametrize(("workload", "table"), _LOADED)
def test_an_insert_has_a_marker_for_every_column(workload: str, table: str) -> None:
    loaded = _STORES[workload].tables[table]
    statement = insert_statement(Destination(name=table, table=loaded), 2).replace(" WITH (TABLOCK)", "")
    (tree,) = sqlglot.parse(statement, dialect="tsql", error_level=sqlglot.ErrorLevel.RAISE)
    assert isinstance(tree, exp.Insert)
    assert [column.name for column in tree.this.expressions] == [column.name for column in loaded.columns]
    assert len(list(tree.find_all(exp.Placeholder))) == 2 * len(loaded.columns)


_SCHEMAS = {"dvdstore": TABLES, "wholesale": WHOLESALE_TABLES, "brokerage": BROKERAGE_TABLES}


@pytest.mark.parametrize(
    ("workload", "table"), [(name, table) for name, tables in _SCHEMAS.items() for table in tables]
)
def test_a_table_has_the_schemas_columns_in_its_order_for_files_of_rows_go_by_it(workload: str, table: str) -> None:
    (batch,) = batches_of(_STORES[workload].script("tables"), schema=DBO, **_GROUPS)
    definition = re.search(rf"CREATE TABLE dbo\.{table} \((.*?)\n\) ON", batch, re.DOTALL)
    assert definition is not None
    columns = re.findall(r"^    (\w+) (\w+)(?:\(([\w, ]+))?", definition[1], re.MULTILINE)
    columns = [column for column in columns if column[0] != "CONSTRAINT"]
    schema = _SCHEMAS[workload][table]
    assert [name for name, _, _ in columns] == [column.name for column in schema]
    for (_, sql_type, width), column in zip(columns, schema, strict=True):
        match column.kind:
            case Kind.TEXT:
                assert sql_type in ("varchar", "char")
                assert 8_000 >= int(width) >= column.width if width != "max" else column.width > 8_000
            case Kind.MONEY:
                assert (sql_type, width.partition(", ")[2]) == ("numeric", "2")
            case Kind.RATE:
                assert (sql_type, width.partition(", ")[2]) == ("numeric", "4")
            case Kind.TIMESTAMP:
                assert sql_type == "datetime2"
            case Kind.DATE:
                assert sql_type == "date"
            case _:
                assert sql_type == {2: "smallint", 4: "int", 8: "bigint"}[column.width]


_BUILT_BY = {
    "dvdstore": ("tables", "words", "procedures", "search_full_text"),
    "wholesale": ("tables", "procedures"),
    "brokerage": ("tables", "procedures"),
}


def _made(workload: str) -> list[tuple[str, str]]:
    text = "\n".join(batch for name in _BUILT_BY[workload] for batch in _batches(f"{workload}/{name}"))
    return re.findall(r"(?:CREATE|ADD) (TABLE|PROCEDURE|SEQUENCE|TRIGGER|CONSTRAINT) (?:dbo\.)?(\w+)", text) + [
        ("CONSTRAINT", name) for name in re.findall(r"^    CONSTRAINT (\w+)", text, re.MULTILINE)
    ]


@pytest.mark.parametrize("workload", _STORES)
def test_nothing_that_a_build_makes_is_left_out_of_the_drop(workload: str) -> None:
    store = _STORES[workload]
    made = {(kind, name) for kind, name in _made(workload) if kind in ("TABLE", "PROCEDURE", "SEQUENCE")}
    procedures = {("PROCEDURE", name) for name in (*store.procedures, *store.helpers)}
    sequences = {("SEQUENCE", name) for name in store.sequences}
    assert made == {("TABLE", name) for name in store.made_tables} | procedures | sequences


@pytest.mark.parametrize("workload", _STORES)
def test_no_table_is_dropped_before_those_that_refer_to_it(workload: str) -> None:
    text = "\n".join(batch for name in ("tables", "indexes") for batch in _batches(f"{workload}/{name}"))
    references = re.findall(
        r"ALTER TABLE dbo\.(\w+) WITH CHECK ADD CONSTRAINT \w+\s.*? REFERENCES dbo\.(\w+)", text, re.S
    )
    assert len(references) == len(_STORES[workload].references)
    dropped = _STORES[workload].made_tables
    assert [pair for pair in references if dropped.index(pair[0]) > dropped.index(pair[1])] == []


@pytest.mark.parametrize("workload", _STORES)
def test_no_two_objects_of_a_schema_have_one_name(workload: str) -> None:
    """Tables, procedures, triggers and constraints share their names in SQL Server, as error 2714 says."""
    names = [name for _, name in _made(workload)] + list(_STORES[workload].references)
    assert len(names) == len(set(names)), sorted(names)


@pytest.mark.parametrize("workload", _STORES)
def test_scripts_make_all_indexes_and_references_that_verify_checks(workload: str) -> None:
    store = _STORES[workload]
    text = "\n".join(batch for name in ("tables", "indexes") for batch in _batches(f"{workload}/{name}"))
    keys = set(re.findall(r"CONSTRAINT (\w+_pkey) PRIMARY KEY", text))
    assert keys | set(re.findall(r"INDEX (\w+) ON", text)) == {index for _, index in store.indexes}
    assert set(re.findall(r"ADD CONSTRAINT (\w+)\s+FOREIGN KEY", text)) == set(store.references)


@pytest.mark.parametrize("workload", _STORES)
def test_a_long_resets_pieces_are_scripts_between_two_ids(workload: str) -> None:
    for piece in _STORES[workload].pieces:
        (batch,) = _batches(f"{workload}/{piece.script}")
        assert re.match(r"DECLARE @after (int|bigint) = \?;\nDECLARE @to \1 = \?;\n", batch)
        assert batch.count("?") == 2
        assert int(piece.built.format(**_COUNTS[workload])) >= 0
        assert piece.at_once(_COUNTS[workload]) >= 1
        (tree,) = sqlglot.parse(piece.newest, dialect="tsql", error_level=sqlglot.ErrorLevel.RAISE)
        assert isinstance(tree, exp.Select)


def test_trigger_reads_only_the_orders_rows() -> None:
    batch = batches_of(STORE.script("procedures"))[-1]
    body = " ".join(batch.partition("SET NOCOUNT ON;")[2].split())
    assert body.startswith("IF NOT UPDATE(quan_in_stock) RETURN;")
    update = body[body.index("UPDATE i SET") :]
    assert "FROM inserted AS n INNER JOIN dbo.inventory AS i ON i.prod_id = n.prod_id" in update
    assert "OPTION (LOOP JOIN, FORCE ORDER);" in update


@pytest.mark.parametrize(
    ("store", "procedure", "answer"),
    [
        (STORE, "purchase", "@orderid AS orderid"),
        (WHOLESALE, "place_order", "@o_id AS o_id"),
        (WHOLESALE, "payment", "@payer AS c_id"),
        (WHOLESALE, "delivery", "@delivered AS delivered"),
        (BROKERAGE, "trade_order", "@t_id AS t_id, CAST(@requested * 100 AS bigint) AS price_cents"),
        (BROKERAGE, "trade_result", "@ca_id AS ca_id"),
        (BROKERAGE, "trade_update", "@changed AS changed"),
        (BROKERAGE, "trade_cleanup", "@cancelled AS cancelled"),
        (BROKERAGE, "data_maintenance", "@table AS changed"),
    ],
)
def test_failed_procedure_rolls_back_and_raises_first(store: SqlServerDefinition, procedure: str, answer: str) -> None:
    flat = _procedure(procedure, store)
    assert re.search(r"SET XACT_ABORT ON;.*BEGIN TRY BEGIN TRANSACTION; .* COMMIT TRANSACTION; END TRY", flat)
    assert f"BEGIN CATCH IF @@TRANCOUNT > 0 ROLLBACK TRANSACTION; THROW; END CATCH; SELECT {answer}; END" in flat


def _procedure(name: str, store: SqlServerDefinition = WHOLESALE) -> str:
    (batch,) = [each for each in batches_of(store.script("procedures")) if f"dbo.{name}\n" in each]
    return " ".join(batch.split())


def test_deliveries_wait_for_each_other_and_keep_no_new_order_waiting() -> None:
    """A range lock reaches to the last order of the district before, behind which its next one comes."""
    delivery = _procedure("delivery")
    assert "FROM dbo.new_order AS n WITH (UPDLOCK, ROWLOCK)" in delivery
    assert not re.search("SERIALIZABLE|HOLDLOCK|READPAST", delivery)


def test_the_stock_level_is_sought_from_the_district() -> None:
    body = _procedure("stock_level")
    places = [body.index(f"dbo.{table} AS") for table in ("district", "order_line", "stock")]
    assert places == sorted(places)
    assert body.count("WITH (FORCESEEK)") == 2
    assert "OPTION (LOOP JOIN, FORCE ORDER, KEEPFIXED PLAN);" in body


@pytest.mark.parametrize(
    ("procedure", "index"), [("market_feed", "ix_request_symbol"), ("broker_volume", "ix_request_broker")]
)
def test_trade_requests_are_sought_also_by_plans_that_are_made_while_there_are_none(procedure: str, index: str) -> None:
    assert f"dbo.trade_request AS r WITH (INDEX ({index}), FORCESEEK" in _procedure(procedure, BROKERAGE)


def test_line_does_not_reuse_the_previous_lines_text() -> None:
    """Without a row of stock the variable would keep its value; null is refused by the table."""
    assert "SET @info = NULL; UPDATE dbo.stock SET @info = CHOOSE(" in _procedure("place_order")


def test_a_password_is_set_only_on_the_stores_own_log_in() -> None:
    (renewal,) = _batches("renew_login")
    assert f"l.sid = {_VALUES['sid']})" in renewal


@pytest.mark.parametrize(
    ("procedure", "words"),
    [("browse_by_actor", ("first_name", "last_name")), ("browse_by_title", ("word", "other_word"))],
)
def test_search_word_is_escaped_and_never_a_prefix(procedure: str, words: tuple[str, str]) -> None:
    (batch,) = [batch for batch in batches_of(STORE.script("search_full_text")) if f"dbo.{procedure}\n" in batch]
    for word in words:
        assert f"REPLACE(REPLACE(@{word}, N'\"', N' '), N'*', N' ')" in batch
        assert batch.count(f"@{word}") == 3, "it is declared, put into the condition, and looked at for what is no word"


class _Recording:
    """Implements ``engine.databases.definition.Reader``: keeps what is asked, as SQL Server is asked it."""

    def __init__(self, store: SqlServerDefinition) -> None:
        self._store = store
        self.asked: list[str] = []

    def count(self, rows: str) -> int:
        return int(self.value(f"SELECT count(*) FROM {rows}"))

    def value(self, query: str) -> int:
        self.asked.append(self._store.qualified(query))
        return 0


def _asked(workload: str) -> list[exp.Query]:
    """What all databases are asked of a workload's store, parsed."""
    store = _STORES[workload]
    reader = _Recording(store)
    for check in store.checks.values():
        check(reader, _COUNTS[workload])
    store.counted_beyond(reader, _COUNTS[workload])
    for violations in store.consistency.values():
        reader.count(violations)
    for query in (store.high_water, store.added_above):
        reader.value(query)
    if store.recorded is not None:
        reader.value(store.recorded.query.format(after=0, to=160))
        reader.value(store.recorded.highest_key)
    assert len(reader.asked) > 15
    assert not any("count(*)" in text for text in reader.asked)
    trees = []
    for text in reader.asked:
        (tree,) = sqlglot.parse(text, dialect="tsql", error_level=sqlglot.ErrorLevel.RAISE)
        assert isinstance(tree, exp.Query)
        trees.append(tree)
    return trees


@pytest.mark.parametrize("workload", _STORES)
def test_shared_queries_parse_and_name_their_schema(workload: str) -> None:
    for tree in _asked(workload):
        assert {table.db for table in tree.find_all(exp.Table)} <= {"dbo"}, tree.sql()


@pytest.mark.parametrize("workload", _STORES)
def test_columns_of_procedures_and_resets_are_those_of_their_tables(workload: str) -> None:
    types = _column_types(workload)
    checked = 0
    for statement in _about_rows(workload):
        tables: dict[str, set[str]] = {}
        for source in statement.find_all(exp.Table, exp.Subquery, exp.Values):
            tables.setdefault(source.alias_or_name, set()).update(types.get(source.name, ()))
        own = set().union(*tables.values(), (each.alias for each in statement.find_all(exp.Alias)))
        for column in statement.find_all(exp.Column):
            known = tables[column.table] if column.table else own  # those of a derived table are not known
            if known and not column.name.startswith("ix_"):
                assert column.name in known, f"{column.sql()} in {statement.sql()}"
                checked += 1
        if isinstance(statement, exp.Insert) and statement.this.this.name in types:
            assert {each.name for each in statement.this.expressions} <= set(types[statement.this.this.name])
    assert checked > 50


def _about_rows(workload: str) -> Iterator[exp.Expr]:
    """The outermost statements about rows in a workload's procedures and resets."""
    kinds = (exp.Select, exp.Update, exp.Insert, exp.Delete)
    names = [name for name in _names(workload, "mssql") if name.startswith(("procedures", "reset"))]
    for batch in (batch for name in names for batch in _batches(f"{workload}/{name}")):
        if any(re.fullmatch(form, " ".join(batch.split())) for form in _DOCUMENTED):
            continue
        for statement in _statements(batch):
            for tree in sqlglot.parse(statement, dialect="tsql", error_level=sqlglot.ErrorLevel.RAISE):
                found = tree.find_all(*kinds) if tree is not None else ()
                yield from (each for each in found if each.find_ancestor(*kinds) is None)


@pytest.mark.parametrize("workload", _STORES)
def test_every_variable_of_a_procedure_is_declared_and_used(workload: str) -> None:
    for batch in _batches(f"{workload}/procedures"):
        text = re.sub(_TEXT, "", batch)
        declared = re.findall(r"DECLARE (@\w+)|^    (@\w+) (?!=)", text.partition("BEGIN TRY")[0], re.MULTILINE)
        names = {first or second for first, second in declared}
        used = re.findall(r"(?<!@)@\w+", text)
        assert set(used) == names
        assert [name for name in names if used.count(name) == 1] == []


@pytest.mark.parametrize("workload", _STORES)
def test_columns_of_shared_queries_belong_to_one_table(workload: str) -> None:
    types = _column_types(workload)
    for tree in _asked(workload):
        qualify(tree, schema={"dbo": types}, dialect="tsql", validate_qualify_columns=True)


@pytest.mark.parametrize("workload", _STORES)
def test_a_sum_of_whole_numbers_over_a_table_is_a_bigint(workload: str) -> None:
    """SQL Server's sum of ints is an int; those of the lines or deliveries of one district are far below its end."""
    columns = {name: kind for table in _column_types(workload).values() for name, kind in table.items()}
    for tree in _asked(workload):
        for each in tree.find_all(exp.Sum):
            summed = each.this
            is_grouped = each.find_ancestor(exp.Select).args.get("group") is not None  # type: ignore[union-attr]
            is_wide = isinstance(summed, exp.Cast) and summed.to.is_type("bigint")
            assert is_wide or is_grouped or columns[summed.name] == "numeric", tree.sql()


@pytest.mark.parametrize("store", [WHOLESALE, BROKERAGE], ids=["wholesale", "brokerage"])
def test_an_audit_holds_every_table_that_it_reads(store: SqlServerDefinition) -> None:
    """DVD Store's audit has queries of its own."""
    assert store.recorded is not None
    queries = [
        store.high_water,
        store.recorded.query,
        *(f"SELECT 1 FROM {each}" for each in store.consistency.values()),
    ]
    read = {table for query in queries for table in re.findall(r"(?:FROM|JOIN) dbo\.(\w+)", store.qualified(query))}
    held = re.findall(r"FROM dbo\.(\w+) WITH \(TABLOCK, HOLDLOCK\)", store.script("audit_locks"))
    assert set(held) == read | {"spindle_store"}


def _column_types(workload: str) -> dict[str, dict[str, str]]:
    (batch,) = _batches(f"{workload}/tables")
    tables = re.findall(r"CREATE TABLE dbo\.(\w+) \((.*?)\n\) ON", batch, re.DOTALL)
    return {
        name: {column: kind for column, kind in re.findall(r"^    (\w+) (\w+)", body, re.MULTILINE) if kind.islower()}
        for name, body in tables
    }
