"""The samples of a kept run on their way into a file, which for a long run takes minutes."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from engine.errors import Cancelled
from engine.library.whole_run import IsCancelled, OnProgress
from engine.record.record import RunRecord
from engine.telemetry.sample import Sample

if TYPE_CHECKING:
    from engine.library.library import Library

_REPORT_EVERY = 500  # samples, of which a second writes some thousands


def watched_samples(
    library: "Library", record: RunRecord, *, on_progress: OnProgress, cancelled: IsCancelled
) -> Iterator[Sample]:
    """A run's samples as ``Library.samples`` gives them; told as they are taken, up to a share of 1.

    Raises ``Cancelled``.
    """
    clients, last_second = len(record.client_labels), record.phases.measuring_to or math.inf
    for number, sample in enumerate(library.samples(record.run_id)):
        if number % _REPORT_EVERY == 0:
            if cancelled():
                raise Cancelled
            on_progress("writing the samples", (sample.client - 1 + min(1.0, sample.second / last_second)) / clients)
        yield sample
