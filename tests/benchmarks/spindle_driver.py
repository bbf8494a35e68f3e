"""The process of a measured run of Spindle, as ``tests.benchmarks.child`` starts it.

Everything is loaded late: the client processes of the run import this module anew, and theirs must stay as small as
under the ``spindle`` command.
"""


def main() -> None:
    from tests.benchmarks import child
    from tests.benchmarks.spindle_run import measure

    child.answer(measure(child.asked()))


if __name__ == "__main__":
    main()
