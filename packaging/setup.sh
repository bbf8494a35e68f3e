#!/bin/sh
# Makes the environment in .venv: `setup.sh` for use, `setup.sh dev` for the tests as well. `setup.sh programs FILE…`
# installs no more than what the files list, and makes no environment.
# Run by the Makefile from the project's root; running it again is quick. SPINDLE_MSSQL=1 installs Microsoft's ODBC driver
# for SQL Server as well, SPINDLE_MSSQL=0 leaves it out; without either, a user at a terminal is asked.
set -eu

fail() { printf 'setup: %s\n' "$1" >&2; exit 1; }

# Whether a user can answer; root, CI and calls without a terminal get the set-up without questions.
can_ask() { [ -t 0 ] && [ -t 2 ] && [ -z "${CI:-}" ] && [ "$(id -u)" != 0 ]; }

# `ask QUESTION yes|no`: succeeds if the answer is yes; the second word is the answer of Enter alone.
ask() {
    if [ "$2" = yes ]; then choices="[Y/n]"; else choices="[y/N]"; fi
    printf 'setup: %s %s ' "$1" "$choices" >&2
    read -r answer || answer=no
    case "${answer:-$2}" in [Yy]*) return 0 ;; *) return 1 ;; esac
}

# The Linux distribution's Python is tried first, as it is built for speed: one compiled by pyenv takes a sixth more
# processor time for each order. PYTHON names another one; one that can't make environments is not used.
find_python() {
    distribution=""
    [ "$(uname -s)" != Linux ] || distribution=/usr/bin/python3
    for wanted in ensurepip sys; do
        for candidate in ${PYTHON:-$distribution python3 python3.14 python3.13 python3.12 python3.11}; do
            if "$candidate" -c "import sys, $wanted; sys.exit(sys.version_info < (3, 11))" 2>/dev/null; then
                command -v "$candidate"
                return
            fi
        done
    done
}

# Debian and Ubuntu keep ensurepip and zlib's shared library in packages of their own.
install_missing() {
    missing=$(printf '%s ' "$@" | sed 's/|[^ ]*//g; s/ $//')
    command -v apt-get >/dev/null 2>&1 ||
        fail "these are missing: $missing. Install them with your system's package manager and run make again."
    if [ "$(id -u)" = 0 ]; then as_root=""
    elif can_ask && has_program sudo && ask "these are missing: $missing. Install them with sudo apt-get?" yes; then
        as_root="sudo"
    elif ! can_ask && sudo -n true 2>/dev/null; then as_root="sudo -n"
    else fail "these are missing: $missing. Run: sudo apt-get install $missing"
    fi
    $as_root apt-get update -q >/dev/null
    packages=$(for names in "$@"; do known "$names"; done | sort -u)
    # shellcheck disable=SC2086  # one word a package
    printf 'setup: installing %s\n' "$(echo $packages)"
    units=$(for package in $packages; do units_of "$package"; done)
    [ -z "$units" ] || services mask
    # A conflicting package, such as another database server, is not removed: that is up to the user.
    # shellcheck disable=SC2086
    DEBIAN_FRONTEND=noninteractive \
        $as_root apt-get install -q -y --no-install-recommends --no-remove $packages >/dev/null
    [ -z "$units" ] || { services unmask; services disable; }
}

# Some packages start a server at once and at each boot; the tests need only its program.
units_of() {
    case "$1" in
        openssh-server) echo ssh.service ssh.socket ;;
        prometheus-node-exporter) echo prometheus-node-exporter.service ;;
        snmpd) echo snmpd.service ;;
        dovecot-core) echo dovecot.service dovecot.socket ;;
    esac
}

# shellcheck disable=SC2086  # one word a unit
services() { ! has_program systemctl || $as_root systemctl --quiet "$1" $units 2>/dev/null || true; }

# Of alternatives separated by bars, the first package that this release has; if it has none, the last one.
known() {
    for name in $(printf '%s' "$1" | tr '|' ' '); do
        ! apt-cache show "$name" >/dev/null 2>&1 || break
    done
    printf '%s\n' "$name"
}

has_program() { command -v "$1" >/dev/null 2>&1 || [ -x "/usr/sbin/$1" ]; }

has_driver() { grep -qsF "[$1]" "${ODBCSYSINI:-/etc}/odbcinst.ini"; }

# Debian 13 and Ubuntu 24.04 renamed libraries for the change to 64-bit time_t.
has_library() { "$python" -c "import ctypes; ctypes.CDLL('$1')" 2>/dev/null || [ -e "/usr/lib/x86_64-linux-gnu/$1t64" ]; }

# A header of the C library, or of the Python that was found.
has_header() {
    for folder in /usr/include "$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')"; do
        [ ! -e "$folder/$1" ] || return 0
    done
    return 1
}

# Microsoft's ODBC driver for SQL Server, as a package: because of its licence it is only installed on request.
wants_mssql() {
    case "${SPINDLE_MSSQL:-}" in
        1) return 0 ;;
        "") ;;
        *) return 1 ;;
    esac
    ! .venv/bin/python -c 'import mssql_python_odbc' 2>/dev/null || return 0
    [ "${1:-}" != dev ] && can_ask &&
        ask "install Microsoft's ODBC driver for SQL Server as well? Its licence is Microsoft's, not Spindle's." no
}

install_python_packages() {
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --constraint packaging/constraints.txt "$@"
}

# The packages of what the files list and this system lacks; the first column says how it is found.
missing_of() {
    cat "$@" | while read -r what package name; do
        case "$what" in
            ""|\#*) ;;
            program|library|header|driver) "has_$what" "$name" || printf ' %s' "$package" ;;
        esac
    done
}

# shellcheck disable=SC2086  # one word a package
install_missing_of() { missing=$(missing_of "$@"); [ -z "$missing" ] || install_missing $missing; }

python=$(find_python)
[ -n "$python" ] || { install_missing python3 python3-venv; python=$(find_python); }
[ -n "$python" ] || fail "Python 3.11 or newer is needed; name one with PYTHON=/path/to/python3 make setup."
"$python" -c 'import ensurepip, venv' 2>/dev/null ||
    install_missing "python$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')-venv"

case "$(uname -s) ${1:-}" in
    "Linux programs") shift; install_missing_of "$@"; exit ;;
    *" programs") exit ;;
    "Linux dev") install_missing_of packaging/system-libraries.txt packaging/test-servers.txt ;;
    Linux*) install_missing_of packaging/system-libraries.txt ;;
esac

[ -x .venv/bin/python ] || "$python" -m venv .venv
# Removed first: otherwise a module that fails to compile would leave its outdated version in use.
rm -f engine/audit/_*.so engine/databases/exchange/_*.so engine/driver/_*.so engine/workloads/*/_*.so
if [ "${1:-}" = dev ]; then
    # Only for developers, since a user's newer compiler may have new warnings. CFLAGS would replace the flags that
    # Python was built with, including optimization.
    flags=${CFLAGS:-$("$python" -c 'import sysconfig; print(sysconfig.get_config_var("CFLAGS"))')}
    CFLAGS="$flags -Wall -Wextra -Werror" install_python_packages --editable ".[dev,cluster]"
else
    install_python_packages --editable .
fi
if wants_mssql "${1:-}"; then
    install_python_packages mssql-python-odbc ||
        printf 'setup: %s\n' "Microsoft's ODBC driver was not installed: there may be no package for this system." \
            "Its own installer is at learn.microsoft.com/sql/connect/odbc; everything else is ready." >&2
    [ "$(uname -s)" != Linux ] || has_library libgssapi_krb5.so.2 || install_missing libgssapi-krb5-2
fi

if ! .venv/bin/python -c 'import importlib, tomllib
with open("pyproject.toml", "rb") as file:
    modules = tomllib.load(file)["tool"]["setuptools"]["ext-modules"]
for module in modules:
    importlib.import_module(module["name"])' 2>/dev/null; then
    [ "${1:-}" != dev ] || fail "the compiled modules were not built. To see why: .venv/bin/python packaging/check_c.py"
    printf 'setup: %s\n' "the compiled modules were not built; most often a C compiler or Python's headers are missing" \
        "(Debian: gcc libc6-dev python3-dev). Users are then driven at more of the processor, PostgreSQL's through libpq," \
        "MariaDB's and MySQL's through ODBC."
fi
[ "${1:-}" != dev ] || sh packaging/test-mysql.sh
