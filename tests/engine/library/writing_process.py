"""A process that keeps a run until it is killed: prints the run's id, and then every number of durable samples."""

import sys
from pathlib import Path

from engine.library.library import Library
from engine.record.record import Phases, RunState
from tests.engine.library.examples import a_record, some_samples
from tests.waiting import wait_until


def main(path: Path) -> None:
    record = a_record()
    with Library.open(path, notify=print) as library:
        writer = library.start_run(record, notify=print)
        print(record.run_id, flush=True)
        writer.set_state(RunState.MEASURING, Phases(warming_up_from=0, measuring_from=1))
        durable = 0
        for second in range(1_000_000):
            for sample in some_samples(seconds=1, first=second):
                writer.write_sample(sample)
            enough = 3 * (second - 50)
            wait_until(lambda enough=enough: writer.durable >= enough, "samples to be durable")
            if writer.durable > durable:
                durable = writer.durable
                print(durable, flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
