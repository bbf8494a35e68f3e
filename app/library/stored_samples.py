"""Reads the samples of a stored run for a file, with progress: for a long run it takes minutes."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from engine.errors import Cancelled
from engine.library.whole_run import IsCancelled, OnProgress
from engine.record.record import RunRecord
from engine.telemetry.sample import Sample

if TYPE_CHECKING:
    from engine.library.library import Library

_REPORT_EVERY = 500  # samples; some thousands are written per second


def watched_samples(
    library: "Library", record: RunRecord, *, on_progress: OnProgress, cancelled: IsCancelled
) -> Iterator[Sample]:
    """A run's samples as ``Library.samples`` yields them; progress is reported up to a share of 1.

    Raises ``Cancelled``.
    """
    clients, last_second = len(record.client_labels), record.phases.measuring_to or math.inf
    for number, sample in enumerate(library.samples(record.run_id)):
        if number % _REPORT_EVERY == 0:
            if cancelled():
                raise Cancelled
            on_progress("writing the samples", (sample.client - 1 + min(1.0, sample.second / last_second)) / clients)
        yield sample
