"""A part of Spindle as a process of its own: ``python -m engine _keeper FOLDER``; see ``engine.own_program``."""

import sys

from engine.own_program import PARTS, run_part

if __name__ == "__main__":
    run_part(sys.argv[1:])
    sys.exit(f"engine: name one of the parts: {', '.join(f'_{part}' for part in PARTS)}")
