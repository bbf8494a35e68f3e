"""The licences that shipped packages may have: those that allow use in a program under another licence.

The GNU GPL without an exception does not; a licence that was never reviewed is refused too.
"""

_ACCEPTED = {
    *("0BSD", "AFL-2.1", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "Beerware", "CC0-1.0", "FTL"),
    *("HPND-sell-variant", "ISC", "LicenseRef-Public-Domain", "MIT", "MIT-0", "MIT-CMU"),
    *("PSF-2.0", "Zlib", "blessing", "bzip2-1.0.6", "libpng-2.0", "GPL-3.0-or-later WITH GCC-exception-3.1"),
    # Allowed for libraries in separate files, which can be replaced.
    *("LGPL-2.0-or-later", "LGPL-2.1-or-later", "LGPL-3.0-only", "MPL-2.0"),
    # The names in older packages.
    *("Apache Software License", "BSD", "BSD License", "MIT License", "Mozilla Public License 2.0 (MPL 2.0)"),
    *("GNU Lesser General Public License v3 (LGPLv3)", "Python Software Foundation License"),
}


def is_accepted(licence: str) -> bool:
    """Whether one of the alternatives of an SPDX expression, without parentheses, has accepted parts only."""
    alternatives = (each.split(" AND ") for each in licence.split(" OR "))
    return any(all(part.strip() in _ACCEPTED for part in parts) for parts in alternatives)
