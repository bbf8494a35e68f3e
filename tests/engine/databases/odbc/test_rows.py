from engine.databases.odbc.rows import FetchedRows


def test_rows_are_tuples_of_the_requested_columns() -> None:
    rows = FetchedRows([[7, "a", None], [8, "b", 1]], first_column=1)
    assert len(rows) == 2
    assert rows.decoded() == [("a", None), ("b", 1)]
