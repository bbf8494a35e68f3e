"""The process of an accelerated run, as ``tests.benchmarks.child`` starts it; as small as ``spindle_driver``'s, and for
the same reason."""


def main() -> None:
    from tests.benchmarks import child
    from tests.benchmarks.endurance_run import measure

    child.answer(measure(child.asked()))


if __name__ == "__main__":
    main()
