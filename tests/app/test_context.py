from pathlib import Path

import pytest

from app.cli.context import Context
from engine.errors import BadInput
from engine.places import find_places
from engine.secrets import Secret
from engine.target.target import EMBEDDED


@pytest.fixture
def context(home: Path) -> Context:
    return Context(find_places(home))


def test_default_target_is_the_embedded_server(context: Context) -> None:
    (target,) = context.parse_targets([])
    assert target.kind == EMBEDDED


def test_targets_may_be_repeated_and_split_as_in_dvd_store_2(context: Context) -> None:
    targets = context.parse_targets(["postgresql://a/ds2; postgresql://b/ds2", "postgresql://c/ds2"])
    assert [target.hosts[0].name for target in targets] == ["a", "b", "c"]


def test_passwords_are_separated_from_urls(context: Context) -> None:
    (target,) = context.parse_targets(["postgresql://me:hemlig@db1/ds2"])
    assert context.secrets == {target.secret_name: Secret("hemlig")}
    assert "hemlig" not in repr(target) + repr(context)


def test_databases_are_counted_on_each_target(context: Context) -> None:
    stores = context.parse_store_plan(["postgresql://a/ds2;postgresql://b/ds2"], databases=2).stores()
    assert [(store.hosts[0].name, store.database) for store in stores] == [
        ("a", "ds2_1"),
        ("a", "ds2_2"),
        ("b", "ds2_1"),
        ("b", "ds2_2"),
    ]
    assert [store.database for store in context.parse_store_plan(["postgresql://a/ds2"], databases=None).stores()] == [
        "ds2"
    ]
    with pytest.raises(BadInput, match="databases is 0"):
        context.parse_store_plan([], databases=0)
