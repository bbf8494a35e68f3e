"""Prints the licence of each Python package that is shipped: a line with name, version and licence.

Run by the Python of an environment that has the shipped packages. Fails if a licence is not accepted.
"""

import sys

from accepted import is_accepted

from app.licences import shipped_licences


def main() -> int:
    licences = shipped_licences()
    for each in licences:
        print(f"{each.package:28} {each.version:16} {each.licence}")
    refused = [each.package for each in licences if not is_accepted(each.licence)]
    if refused:
        print(f"these have no licence that is accepted, and can't be shipped: {', '.join(refused)}", file=sys.stderr)
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
