"""The process of a measured build, as ``tests.benchmarks.child`` starts it: what it takes of memory is the build's."""

import time

import psutil

from engine.conduct.endpoint import Endpoint
from engine.databases.database import Timeouts
from engine.secrets import Secret
from tests.benchmarks import child
from tests.benchmarks.driven import peak_memory_mb


def main() -> None:
    question = child.asked()
    target = child.target_from_plain(question["target"])
    store = Endpoint(target, Secret(question["secret"])).store(Timeouts(), question["workload"])
    began = time.monotonic()
    report = store.build(question["scale"], 1, replace=True, report_progress=lambda _: None, cancelled=lambda: False)
    child.answer(
        {
            "seconds": time.monotonic() - began,
            "load_seconds": report.load_seconds,
            "index_seconds": report.index_seconds,
            "rows": sum(report.rows.values()),
            "cpu_seconds": time.process_time(),
            "peak_memory_mb": peak_memory_mb(psutil.Process()),
        }
    )


if __name__ == "__main__":
    main()
