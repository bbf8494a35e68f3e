"""The script that a frozen program begins with."""

from app.__main__ import main

main()
