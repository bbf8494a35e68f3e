"""The program's entry, also of `python -m app`; it stays light because every client process imports it anew."""

import multiprocessing


def main() -> None:
    """Start the program; returns only by ``SystemExit`` with the exit code."""
    multiprocessing.freeze_support()
    from app.cli.main import run_program

    run_program()


if __name__ == "__main__":
    main()
