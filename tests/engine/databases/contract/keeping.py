"""The contract of keeping a store: its state, verifying, resetting and dropping it."""

from random import Random

import pytest

from engine.errors import Cancelled, ErrorClass, TargetError, UserError
from engine.workloads.dvdstore import picks
from tests.engine.databases.contract.places import SEED, SIZE, Place, added, generated, silent

# What is done to a store by hand, and which check has to find it. The last one leaves little to be checked.
_DAMAGES = (
    ("UPDATE inventory SET sales = sales + 1 WHERE prod_id = 5", "products whose sales differ from their order lines"),
    (
        "UPDATE inventory SET quan_in_stock = quan_in_stock + 100 WHERE prod_id = 6",
        "products whose stock differs from what was built, sold and delivered",
    ),
    ("UPDATE orders SET tax = tax + 1 WHERE orderid = 7", "orders whose net and tax differ from their total"),
    ("DELETE FROM orderlines WHERE orderid = 8 AND orderlineid = 1", "built order lines"),
    ("DELETE FROM cust_hist WHERE orderid = 9", "built history rows"),
    ("DELETE FROM orderlines WHERE orderid = 10", "orders without lines"),
    ("DELETE FROM orders WHERE orderid = 11", "built orders"),
    ("DELETE FROM customers WHERE customerid = 12", "built customers"),
    ("DELETE FROM products WHERE prod_id = 13", "products"),
    ("DELETE FROM inventory WHERE prod_id = 14", "inventory rows"),
    ("DELETE FROM categories WHERE category = 15", "categories"),
    ("DROP TABLE reorder", "table reorder"),
)


class KeepingContract:
    """A store's life after it was built."""

    def test_verify_finds_each_damage(self, place: Place) -> None:
        checks = {check.what: check for check in place.verify()}
        for statement, what in _DAMAGES:
            place.run(statement)
            before, checks = checks[what], {check.what: check for check in place.verify()}
            assert not checks[what].ok, statement
            assert checks[what].found != before.found, statement

    def test_verify_finds_what_is_missing_or_disabled(self, place: Place) -> None:
        for what, statement in place.dbms.damages.items():
            before = place.failed_checks()
            place.run(statement)
            (failed,) = place.failed_checks() - before
            assert failed.startswith(f"{what} ")

    def test_verify_reports_expected_and_found_values(self, place: Place) -> None:
        place.run("DELETE FROM categories WHERE category = 5")
        (check,) = [check for check in place.verify() if not check.ok]
        assert (check.what, check.expected, check.found) == ("categories", "16", "15")

    def test_verify_can_be_cancelled(self, reader: Place) -> None:
        with pytest.raises(Cancelled):
            reader.store.verify(report_progress=silent, cancelled=lambda: True)

    def test_a_store_that_was_used_is_whole_and_beyond_pristine(self, place: Place) -> None:
        orders, lines, customers = _use(place)
        state = place.store.state()
        assert state is not None
        assert state.beyond == {"orders": orders, "customers": customers, "history rows": lines}
        assert (state.scale, state.seed, state.complete, state.is_pristine) == (str(SIZE), SEED, True, False)
        assert place.failed_checks() == set()

    def test_reset_restores_the_store_as_built(self, place: Place) -> None:
        _use(place)
        place.run("DELETE FROM inventory WHERE prod_id = 7")
        assert place.contents() != generated(SIZE, SEED)
        place.reset()
        assert place.contents() == generated(SIZE, SEED)
        assert place.failed_checks() == set()
        state = place.store.state()
        assert state is not None
        assert state.is_pristine

    def test_numbers_begin_again_after_a_reset(self, place: Place) -> None:
        for _ in range(2):
            session = place.open()
            assert session.new_customer(picks.new_customer(Random(1))) == SIZE.customers + 1
            place.set_stock(1, 100)
            assert session.purchase(1, [(1, 1)], net=1, tax=0, total=1) == SIZE.orders + 1
            session.close()
            place.reset()

    def test_a_pristine_store_can_be_reset(self, place: Place) -> None:
        place.reset()
        assert place.contents() == generated(SIZE, SEED)

    def test_a_cancelled_reset_changes_nothing(self, place: Place) -> None:
        _use(place)
        before = place.contents()
        with pytest.raises(Cancelled):
            place.store.reset(report_progress=silent, cancelled=lambda: True)
        assert place.contents() == before
        assert place.failed_checks() == set()

    def test_database_made_by_the_build_is_dropped_with_its_store(self, scratch: Place) -> None:
        scratch.build()
        assert scratch.name in scratch.store.drop()
        assert not scratch.dbms.exists(scratch.name)

    def test_existing_database_is_kept_and_left_empty(self, scratch: Place) -> None:
        scratch.dbms.create(scratch.name)
        scratch.build()
        assert "stays" in scratch.store.drop()
        assert list(scratch.dbms.tables(scratch.name)) == []

    def test_database_with_foreign_objects_is_kept(self, scratch: Place) -> None:
        scratch.build()
        scratch.run("CREATE TABLE theirs (number integer)")
        assert "stays" in scratch.store.drop()
        assert list(scratch.dbms.tables(scratch.name)) == ["theirs"]

    def test_where_no_store_is_nothing_can_be_verified_reset_or_dropped(self, scratch: Place) -> None:
        scratch.dbms.create(scratch.name)
        for work in (scratch.verify, scratch.reset, scratch.store.drop):
            with pytest.raises(UserError, match=f"'{scratch.name}' holds no store"):
                work()

    def test_where_no_database_is_nothing_can_be_verified_reset_or_dropped(self, scratch: Place) -> None:
        for work in (scratch.verify, scratch.reset, scratch.store.drop):
            with pytest.raises(TargetError) as caught:
                work()
            assert caught.value.error_class is ErrorClass.MISSING_DATABASE


def _use(place: Place) -> tuple[int, int, int]:
    """Register and buy for a while; the numbers of new orders, order lines and customers."""
    random, session, before = Random(5), place.open(), place.contents()
    for number in range(60):
        made = session.new_customer(picks.new_customer(random)._replace(username=f"newuser{number % 50}"))
        session.purchase(made or 1, picks.cart(random, SIZE, 5), net=5_00, tax=41, total=5_41)
    session.close()
    new = added(before, place.contents())
    assert new["reorder"], "so many orders bring some product's stock down"
    return len(new["orders"]), len(new["orderlines"]), len(new["customers"])
