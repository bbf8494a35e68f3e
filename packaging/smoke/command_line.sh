# !/bin/sh Tries an installed Spindle without a window, in a system without any Python: `command_line.sh SPINDLE HOME`.
# Apart from Spindle, it uses only the shell and coreutils.
set -eu
spindle=$1
home=$2

say() { printf '  %s\n' "$1"; }
fail() { printf 'smoke test: %s\n' "$1" >&2; exit 1; }
call() { env -i HOME="$home" LC_ALL=C.UTF-8 SPINDLE_HOME="$home/spindle data" "$spindle" "$@"; }

cd /
say "$(call --version)"
call demo --headless --minutes 0.34 >"$home/demo.txt" 2>&1 || { cat "$home/demo.txt"; fail "the demonstration failed"; }
say "demonstration: $(grep 'OPM running' "$home/demo.txt" | tail -n 1)"
call run --lab pair --users 4 --think-time-ms 20 --minutes 0.5 --warmup 0.05 --db-size 100MB \
    --fault "T+8s kill primary" --audit >"$home/pair.txt" 2>&1 || { cat "$home/pair.txt"; fail "the failover failed"; }
say "failover: $(grep -m 1 'order was lost' "$home/pair.txt" || tail -n 1 "$home/pair.txt")"
call report last --out "$home/report.pdf" >"$home/report.txt" 2>&1 || { cat "$home/report.txt"; fail "no report"; }
[ "$(head -c 5 "$home/report.pdf")" = "%PDF-" ] || fail "the report is no PDF"
say "report: $(wc -c <"$home/report.pdf") bytes of PDF"
call cluster certificates >/dev/null 2>&1 || fail "no certificates for load machines"
left=$(for each in /proc/[0-9]*; do
    case "$(cat "$each/cmdline" 2>/dev/null | tr '\0' ' ')" in *"_keeper $home"*|*"postgres -D $home"*) echo "$each";; esac
done)
[ -z "$left" ] || fail "processes were left running: $left"
