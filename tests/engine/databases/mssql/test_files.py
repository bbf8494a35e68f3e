import re

import pytest

from engine.databases.mssql.files import backup_path, bulk_file, creation, filegroup_name, filegroups_in
from engine.databases.mssql.scripts import identifier
from engine.target.store_layout import FilegroupLayout, LogLayout, StoreLayout

_LAYOUT = StoreLayout(
    customers=FilegroupLayout(folder="E:\\cust", files=3, size_mb=1_000),
    orders=FilegroupLayout(files=1, size_mb=70),
    indexes=FilegroupLayout(folder="\\\\nas\\ix\\", files=8, size_mb=8_000),
    log=LogLayout(folder="L:\\", size_mb=5_000),
)
_FILE = re.compile(r"\(NAME = N'(.+?)', FILENAME = N'(.+?)'(?:, SIZE = (\d+)MB)?, FILEGROWTH = (\d+)MB\)")


def _files(layout: StoreLayout, database: str = "ds2") -> dict[str, tuple[str, int, int]]:
    create = creation(database, layout, data_folder="D:\\data\\", log_folder="D:\\log")[0]
    return {name: (path, int(size or 0), int(growth)) for name, path, size, growth in _FILE.findall(create)}


def test_every_filegroup_has_its_files_in_its_folder_with_its_share_of_the_size() -> None:
    files = _files(_LAYOUT)
    assert files["customers_1"] == ("E:\\cust\\ds2_customers_1.ndf", 334, 64)
    assert files["customers_3"][0] == "E:\\cust\\ds2_customers_3.ndf"
    assert files["orders_1"] == ("D:\\data\\ds2_orders_1.ndf", 70, 64)
    assert files["indexes_8"] == ("\\\\nas\\ix\\ds2_indexes_8.ndf", 1_000, 100)
    assert files["log"] == ("L:\\ds2_log.ldf", 5_000, 500)
    assert len(files) == 1 + 3 + 1 + 8 + 1 + 1
    assert len({path for path, _, _ in files.values()}) == len(files)


def test_the_primary_file_begins_as_large_as_the_servers_model() -> None:
    assert _files(_LAYOUT)["primary"] == ("D:\\data\\ds2.mdf", 0, 64)


def test_filegroups_are_listed_between_primary_and_log() -> None:
    create = creation("ds2", _LAYOUT, data_folder="D:\\d", log_folder="D:\\d")[0]
    heads = re.findall(r"ON PRIMARY|FILEGROUP \[\w+\]|LOG ON", create)
    groups = [f"FILEGROUP [{filegroup_name(name)}]" for name in ("customers", "orders", "indexes", "misc")]
    assert heads == ["ON PRIMARY", *groups, "LOG ON"]


@pytest.mark.parametrize("database", ["a]b'c", "a/b:c*d", "ärger"])
def test_file_names_are_valid_for_any_database_name(database: str) -> None:
    create = creation(database, StoreLayout(), data_folder="/data", log_folder="/log")
    assert create[0].startswith(f"CREATE DATABASE {identifier(database)} ON PRIMARY")
    assert create[1].startswith(f"ALTER DATABASE {identifier(database)} SET")
    for path, _, _ in _files(StoreLayout(), database).values():
        assert re.fullmatch(r"[\w.\-]+", path.rpartition("\\")[2], re.ASCII)
    assert re.fullmatch(r"[\w.\-]+", bulk_file(database, "orders", 3), re.ASCII)


def test_a_store_uses_its_own_filegroups_and_else_the_databases_default() -> None:
    made = {"PRIMARY", *map(filegroup_name, ("customers", "orders", "indexes", "misc"))}
    assert filegroups_in(made, "PRIMARY") == {
        name: identifier(f"spindle_{name}") for name in ("customers", "orders", "indexes", "misc")
    }
    assert set(filegroups_in({"PRIMARY", "fast"}, "fast").values()) == {"[fast]"}
    assert filegroups_in({"PRIMARY", "spindle_orders"}, "PRIMARY")["orders"] == "[spindle_orders]"


def test_a_backup_and_a_file_of_rows_carry_the_databases_name() -> None:
    assert backup_path("B:\\backup", "SRV1", "ds2") == "B:\\backup\\SRV1_ds2_spindle.bak"
    assert backup_path("/backup/", "SRV1\\PROD", "ds2") == "/backup/SRV1_PROD_ds2_spindle.bak"
    assert bulk_file("ds2", "orders", 3) == "ds2_orders_3.dat"
