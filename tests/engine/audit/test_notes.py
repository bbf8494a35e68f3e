"""Both ways of keeping notes hold the same."""

import gc
import math
import struct
import sys
import threading
import time
import weakref
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.audit.notes import RECORD, Notes, PlainNotes, new_notes, packed_record
from engine.driver.timebase import Timebase
from tests.engine.audit.ledgers import MOMENT, NUMBER

compiled = pytest.importorskip("engine.audit._notes", reason="set up without a C compiler")

HEADER = b"header"
WAYS = pytest.mark.parametrize("make", [PlainNotes, compiled.Notes])

# Also those that no record has room for, and what is not a number, or not a whole one.
_ANY = NUMBER | st.integers() | st.sampled_from([0, -1, 2**32, 2**63, 2**64 - 1, 2**64, True, None, 1.5, "7"])
_NOW = st.floats() | st.integers(0, 10**13).map(lambda microseconds: microseconds / 1e6)
_NOTED = st.tuples(st.just("note"), st.tuples(MOMENT | _ANY, _ANY, _ANY, _ANY))
_NOTED_NOW = st.tuples(st.just("note_now"), st.tuples(_NOW, _ANY, _ANY, _ANY))
_TIMED = st.tuples(st.just("keep_time"), st.tuples(_NOW, _NOW | st.sampled_from([1.0, 0.02, 0.0])))
_TAKEN = st.tuples(st.just("take"), st.tuples(st.integers(0, 100)))
_GIVEN_UP = st.tuples(st.just("give_up"), st.tuples())
_MAPPED = st.tuples(st.just("map"), st.tuples(st.integers(0, 200), st.integers(-1, 60)))
_UNMAPPED = st.tuples(st.just("unmap"), st.tuples())


class Noter:
    """One way of keeping notes, on a clock that the test sets; ``file`` is in memory."""

    def __init__(self, make: Callable[[bytes], Notes]) -> None:
        self.now = 0.0
        self.notes = make(HEADER)
        self.file = bytearray()
        self._window: bytearray | None = None
        self._begin = 0

    def does(self, name: str, values: tuple[Any, ...]) -> object:
        """What comes of it, or the kind of the error."""
        try:
            match name:
                case "keep_time":
                    return self.notes.keep_time(*values, lambda: self.now)
                case "note_now":
                    self.now = values[0]
                    return self.notes.note_now(*values[1:])
                case "take":
                    return self._write(*values)
                case "map":
                    return self._map(*values)
                case _:
                    return getattr(self.notes, name)(*values)  # type: ignore[no-any-return]
        except Exception as error:
            return type(error)

    @property
    def written(self) -> bytes:
        """What is in the file; the part that is mapped is looked at where the notes write it."""
        if self._window is not None:
            end = self._begin + len(self._window)
            self.file[self._begin : end] = self._window
        return bytes(self.file[: self.notes.end])

    def _write(self, room: int) -> int:
        """Write no more than there is room for, at the end; how many bytes are held then."""
        taken = self.notes.take()
        end, self._window = len(self.written), None
        self.notes.unmap()
        self.file[end:] = taken[:room]
        self.notes.wrote(len(taken[:room]))
        return self.notes.put_back(taken[room:])

    def _map(self, size: int, back: int) -> None:
        """Map so many bytes of the file, from so far before its end."""
        written, begin = self.written, max(0, self.notes.end - back) if back >= 0 else self.notes.end + 1
        window = bytearray(written[begin : begin + size].ljust(size, b"\0"))
        self.notes.map(window, begin)
        self.file[:], self._window, self._begin = bytearray(written), window, begin


@given(st.lists(_NOTED | _NOTED_NOW | _NOTED_NOW | _TIMED | _TAKEN | _MAPPED | _MAPPED | _UNMAPPED | _GIVEN_UP))
def test_compiled_notes_equal_python(happenings: list[tuple[str, tuple[Any, ...]]]) -> None:
    plain, fast = Noter(PlainNotes), Noter(compiled.Notes)
    for happening in happenings:
        assert plain.does(*happening) == fast.does(*happening)
        assert plain.written == fast.written
        assert [(each.end, each.room, each.held_bytes) for each in (plain.notes, fast.notes)] == [
            (plain.notes.end, plain.notes.room, plain.notes.held_bytes)
        ] * 2
    assert plain.notes.take() == fast.notes.take()


@given(now=st.floats(0, 1e9), epoch=st.floats(0, 1e9), tick_seconds=st.floats(1e-3, 10) | st.just(1.0))
def test_a_moment_is_that_of_the_runs_timebase(now: float, epoch: float, tick_seconds: float) -> None:
    second = Timebase(epoch, tick_seconds).at(now)
    for make in (PlainNotes, compiled.Notes):
        notes = make(b"")
        notes.keep_time(epoch, tick_seconds, lambda: now)
        notes.note_now(1, 2, 3)
        assert RECORD.unpack(notes.take())[:4] == (max(0, int(second * 1000)), 1, 2, 3)


@WAYS
def test_oversized_value_is_an_error_and_not_noted(make: Callable[[bytes], Notes]) -> None:
    noter = Noter(make)
    noter.does("keep_time", (0.0, 1.0))
    for wrong in (-1, 2**32, 2**64, 1.5, "7", None):
        for place in (1, 2, 3):
            numbers: list[Any] = [1, 2, 3, 4]
            numbers[place] = wrong
            assert noter.does("note", tuple(numbers)) is struct.error
            assert noter.does("note_now", tuple(numbers)) is struct.error
    assert [noter.does("note", (moment, 1, 2, 3)) for moment in (-1, 2**64, 0.5)] == [struct.error] * 3
    assert noter.does("note_now", (2.0**64, 1, 2, 3)) is struct.error
    assert [noter.does("note_now", (now, 1, 2, 3)) for now in (math.nan, math.inf, -math.inf)] == [
        ValueError,
        OverflowError,
        OverflowError,
    ]
    assert [noter.does("note", (1, 2, 3)), noter.does("note_now", (1, 2, 3))] == [TypeError] * 2
    assert noter.notes.take() == HEADER


@WAYS
def test_the_largest_numbers_have_room(make: Callable[[bytes], Notes]) -> None:
    notes = make(b"")
    notes.note(2**64 - 1, 2**32 - 1, 2**32 - 1, 2**32 - 1)
    assert notes.take() == packed_record(2**64 - 1, 2**32 - 1, 2**32 - 1, 2**32 - 1)


@WAYS
def test_notes_need_the_epoch(make: Callable[[bytes], Notes]) -> None:
    notes = make(HEADER)
    with pytest.raises(ZeroDivisionError):
        notes.note_now(1, 2, 3)
    assert notes.take() == HEADER


@WAYS
def test_error_of_the_clock_is_raised(make: Callable[[bytes], Notes]) -> None:
    def clock() -> float:
        raise LookupError("ours")

    notes = make(HEADER)
    notes.keep_time(0.0, 1.0, clock)
    with pytest.raises(LookupError, match="ours"):
        notes.note_now(1, 2, 3)
    assert notes.take() == HEADER


@WAYS
def test_compiled_clock_equals_pythons(make: Callable[[bytes], Notes]) -> None:
    epoch = time.monotonic() - 100.0
    notes = make(b"")
    notes.keep_time(epoch, 1.0, None)
    before = int((time.monotonic() - epoch) * 1000)
    notes.note_now(1, 2, 3)
    after = int((time.monotonic() - epoch) * 1000)
    assert before <= RECORD.unpack(notes.take())[0] <= after


@WAYS
def test_notes_added_while_reading_are_kept(make: Callable[[bytes], Notes]) -> None:
    notes = make(HEADER)
    notes.note(1, 2, 3, 4)
    taken = notes.take()
    with memoryview(taken) as being_written:
        notes.note(5, 6, 7, 8)
        assert notes.put_back(taken) == len(HEADER) + 2 * RECORD.size
        notes.note(9, 10, 11, 12)
        assert being_written == HEADER + packed_record(1, 2, 3, 4)
    assert notes.take() == taken + packed_record(5, 6, 7, 8) + packed_record(9, 10, 11, 12)


@WAYS
def test_concurrent_take_and_put_back_loses_no_note(make: Callable[[bytes], Notes]) -> None:
    notes, each, threads = make(b""), 2_000, 4
    notes.keep_time(time.monotonic(), 1.0, None)

    def note(thread: int) -> None:
        for order in range(each):
            notes.note_now(thread * each + order, thread, order)

    workers = [threading.Thread(target=note, args=(number,)) for number in range(threads)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        for worker in workers:
            worker.start()
        written = bytearray()
        while any(worker.is_alive() for worker in workers):
            taken = notes.take()
            with memoryview(taken) as being_written:
                written += being_written[:30]
            notes.put_back(taken[30:])
    finally:
        sys.setswitchinterval(interval)
        for worker in workers:
            worker.join()
    written += notes.take()

    noted = [numbers[1:4] for numbers in RECORD.iter_unpack(written)]
    assert sorted(noted) == [(order, order // each, order % each) for order in range(threads * each)]
    assert all([numbers[2] for numbers in noted if numbers[1] == one] == list(range(each)) for one in range(threads))


def test_notes_leak_no_references() -> None:
    noter = Noter(compiled.Notes)
    noter.does("keep_time", (0.0, 1.0))
    order, fresh = 10**6, bytearray()
    before = sys.getrefcount(order)
    for _ in range(1_000):
        noter.notes.note_now(order, 1, 1)
    assert sys.getrefcount(order) < before + 10
    taken = noter.notes.take()
    assert sys.getrefcount(taken) == sys.getrefcount(fresh)
    gone = weakref.ref(noter)
    del noter
    gc.collect()
    assert gone() is None


def test_compiled_notes_are_used() -> None:
    notes = new_notes(HEADER)
    assert isinstance(notes, compiled.Notes)
    assert type(notes.note_now).__name__ == "builtin_function_or_method"
