"""The contract of existing stores: those of format 1 (which knew only one workload), and those of another workload."""

import json
from pathlib import Path

import pytest

from engine.audit.report import Verdict
from engine.errors import UserError
from tests.engine.databases.contract.places import SEED, SIZE, Place, generated
from tests.engine.databases.contract.shopping import Shopper, audit_of, state_before
from tests.engine.databases.contract.under_test import DatabaseUnderTest

_ORDER_LINES = sum(generated(SIZE, SEED)["orderlines"].values())


def _make_first_format(place: Place) -> None:
    """Give the store the record that a build wrote in format 1."""
    table, extras = place.dbms.first_record
    columns = {
        "format": "1",
        "state": "'complete'",
        "db_size": f"'{SIZE}'",
        "seed": str(SEED),
        "customers": str(SIZE.customers),
        "orders": str(SIZE.orders),
        "order_lines": str(_ORDER_LINES),
        "products": str(SIZE.products),
        "made_database": place.dbms.true,
        **extras,
    }
    place.run("DROP TABLE spindle_store")
    place.run(table)
    place.run(f"INSERT INTO spindle_store ({', '.join(columns)}) VALUES ({', '.join(columns.values())})")


class EarlierContract:
    """Stores of earlier versions can be used, and stores of other workloads are left alone."""

    def test_a_store_of_format_1_is_used_audited_and_reset(self, place: Place, tmp_path: Path) -> None:
        built = place.store.state()
        _make_first_format(place)
        state, before = place.store.state(), state_before(place)
        assert state is not None
        assert built is not None
        assert (state.workload, state.scale, state.seed, state.is_pristine) == ("dvdstore", str(SIZE), SEED, True)
        assert (state.beyond, state.high_water) == (built.beyond, built.high_water)
        shopper, session = Shopper(3), place.open()
        for _ in range(5):
            shopper.buy(session)
        session.close()
        assert place.failed_checks() == set()
        assert audit_of(place, before, [shopper], tmp_path).verdict is Verdict.CLEAN
        state = place.store.state()
        assert state is not None
        assert state.beyond["orders"] == len(shopper.orders)
        place.reset()
        assert place.contents() == generated(SIZE, SEED)
        state = place.store.state()
        assert state is not None
        assert state.is_pristine
        assert state.as_built_at != before.as_built_at
        place.build(seed=9, replace=True)
        assert place.contents() == generated(SIZE, 9)

    def test_a_partly_built_store_of_format_1_is_built_again(self, place: Place) -> None:
        _make_first_format(place)
        place.run("UPDATE spindle_store SET state = 'building', order_lines = 0")
        state = place.store.state()
        assert state is not None
        assert (state.complete, state.is_reset_interrupted) == (False, False)
        place.build()
        assert place.contents() == generated(SIZE, SEED)

    def test_a_store_of_another_workload_is_left_alone(self, dbms: DatabaseUnderTest, place: Place) -> None:
        place.run("UPDATE spindle_store SET workload = 'wholesale'")
        for work in (
            place.store.state,
            place.store.drop,
            place.verify,
            place.reset,
            lambda: place.build(replace=True),
            lambda: place.store.replacement(str(SIZE)),
        ):
            with pytest.raises(UserError, match=r"holds a store of workload 'wholesale', not 'dvdstore'; choose that"):
                work()
        assert place.contents() == generated(SIZE, SEED)

    def test_what_was_built_is_recorded(self, reader: Place) -> None:
        (counts, version) = reader.run("SELECT counts, workload_version FROM spindle_store")[0]
        assert version == 1
        assert (
            json.loads(counts).items()
            >= {
                "customers": SIZE.customers,
                "orders": SIZE.orders,
                "order_lines": _ORDER_LINES,
                "products": SIZE.products,
            }.items()
        )
