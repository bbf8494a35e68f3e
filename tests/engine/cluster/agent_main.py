"""An agent as a program: ``python -m tests.engine.cluster.agent_main '{JSON of AgentStart}' UTC_AHEAD_SECONDS``.

Load machines are other machines; here they are processes, which may be in namespaces of their own.
"""

import json
import sys

from engine.cluster.agent import run_agent
from engine.cluster.starter import AgentStart, TlsFiles
from engine.collect.clock import utc_now

if __name__ == "__main__":
    plain = json.loads(sys.argv[1])
    start = AgentStart(
        **{
            **plain,
            "controller_addresses": tuple(plain["controller_addresses"]),
            "certificates": TlsFiles(**plain["certificates"]),
        }
    )
    ahead_seconds = float(sys.argv[2])
    run_agent(start, lambda: utc_now() + ahead_seconds)
