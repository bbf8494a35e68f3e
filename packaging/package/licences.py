"""Prints the licence of each Python package that is shipped: a line with name, version and licence.

Run by the Python of an environment that has what is shipped. Fails when a package is under the GNU GPL.
"""

import sys

from app.licences import shipped_licences


def main() -> int:
    licences = shipped_licences()
    for each in licences:
        print(f"{each.package:28} {each.version:16} {each.licence}")
    refused = [each.package for each in licences if each.forbids_shipping]
    if refused:
        print(f"these are under the GPL, and can't be shipped: {', '.join(refused)}", file=sys.stderr)
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
