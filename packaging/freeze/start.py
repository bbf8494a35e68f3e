"""The entry script of the frozen program."""

from app.__main__ import main

main()
