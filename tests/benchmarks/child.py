"""Runs drivers in processes of their own, so that their costs can be measured alone. The request is JSON on standard
input, since it may contain a password; the result is JSON on standard output."""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.target.target import Host, Target
from tests.benchmarks.driven import Cpu, Driven

_ROOT = Path(__file__).parents[2]


def ask(module: str, question: Mapping[str, Any]) -> Any:
    """Run ``python -m module``; its answer. What it says beside that is shown."""
    command = [sys.executable, "-m", f"tests.benchmarks.{module}"]
    done = subprocess.run(command, cwd=_ROOT, input=json.dumps(question), stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def asked() -> Any:
    """In the process: the question."""
    return json.load(sys.stdin)


def answer(value: Any) -> None:
    """In the process: its answer, which is the last line of its output."""
    print(json.dumps(value))


def target_to_plain(target: Target) -> dict[str, Any]:
    """A PostgreSQL target for another process."""
    host = target.hosts[0]
    return {"host": host.name, "port": host.port, "database": target.database, "user": target.user, "kind": target.kind}


def target_from_plain(plain: Mapping[str, Any]) -> Target:
    host = Host(plain["host"], plain["port"])
    return Target(kind=plain["kind"], hosts=(host,), database=plain["database"], user=plain["user"], tls="disable")


def driven_to_plain(driven: Driven) -> dict[str, Any]:
    return {
        "orders": driven.orders,
        "seconds": driven.seconds,
        "cpu": [driven.cpu.user, driven.cpu.system],
        "peak_memory_mb": driven.peak_memory_mb,
        "retries": driven.retries,
        "began_at": driven.began_at,
    }


def driven_from_plain(plain: Mapping[str, Any]) -> Driven:
    user, system = plain["cpu"]
    return Driven(**{**plain, "cpu": Cpu(user=user, system=system)})
