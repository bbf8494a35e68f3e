"""The task that runs an agent on a load machine: all that an ``AgentStarter`` has to execute there."""

import multiprocessing

from engine.cluster.agent import run_agent
from engine.cluster.starter import AgentStart


def start_agent(start: AgentStart) -> int:
    """Run the agent in a process of its own, and return its exit code when it has ended: 0 if the run ended it.

    The process is not a daemon, since it has children. It blocks, so a worker calls it in a thread.
    """
    process = multiprocessing.get_context("spawn").Process(target=run_agent, args=(start,), name="spindle-agent")
    process.start()
    process.join()
    return process.exitcode or 0
