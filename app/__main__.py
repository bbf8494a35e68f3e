"""The program's entry point, also of `python -m app`. It imports little, because every client process imports it
again."""

import multiprocessing
import sys


def main() -> None:
    """Start the program; returns only by ``SystemExit`` with the exit code."""
    multiprocessing.freeze_support()
    from engine.own_program import open_missing_streams, restore_environment, run_part

    open_missing_streams()
    restore_environment()
    run_part(sys.argv[1:])
    from app.cli.main import run_program

    run_program()


if __name__ == "__main__":
    main()
