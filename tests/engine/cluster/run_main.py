"""A run on load machines as a program of its own, to be killed: prints the pids of its agents once users are driven."""

import sys
import time
from pathlib import Path

from engine.cluster.load_machines import LoadMachines
from engine.driver.run import Run
from engine.target.target import POSTGRESQL, Host, Target
from tests.engine.cluster.local_agents import LocalAgents
from tests.engine.driver.runs import Gathering, start_of

NOWHERE = Target(kind=POSTGRESQL, hosts=(Host("127.0.0.1", 1),), database="ds2", user="nobody", tls="disable")
MACHINES = ("lg1", "lg2")

if __name__ == "__main__":
    agents = LocalAgents(Path(sys.argv[1]), MACHINES)
    placed = {machine: [number] for number, machine in enumerate(MACHINES, start=1)}
    labels = {number: f"ds2 #{number}" for (number,) in placed.values()}
    machines = LoadMachines(agents, "killed", placed, labels, print)
    machines.connect()
    sink = Gathering()
    run = Run(
        starts=[start_of(NOWHERE, None, client=number) for number in labels],
        labels=labels,
        warmup_seconds=1,
        measured_seconds=600,
        sinks=[sink],
        placement=machines.launchers(),
    )
    run.start()
    while len(sink.samples) < 2 * len(MACHINES):
        time.sleep(0.02)
    print(*(agent.process.pid for agent in agents.agents.values()), flush=True)
    run.wait()
