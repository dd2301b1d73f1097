#!/usr/bin/env bash
# Our emulator beside two machines for OpenCL, in one run: PoCL, which compiles kernels for the processor, and Oclgrind,
# which interprets them and finds races. The same reductions, input and sizes, in blocks of 1024; prints one table.
#
#   apt-get install --no-install-recommends gcc libc6-dev ocl-icd-opencl-dev pocl-opencl-icd oclgrind     (Debian's names)
#   benches/peers/run.sh [--large 16777216] [--small 262144] [--repeats 3] [--record]
#
# Oclgrind runs the small size only. --record puts the table into BENCHMARKS.md, in the place of the last one.
# `taskset -c 0 benches/peers/run.sh` gives everybody one core. It takes about three minutes with two.
set -euo pipefail
cd "$(dirname "$0")/../.."

large=16777216 small=262144 repeats=3 record=
while [ $# -gt 0 ]; do
  case $1 in
    --record) record=yes; shift; continue ;;
    --large | --small | --repeats) [ $# -ge 2 ] || { echo "\`$1\` needs a number" >&2; exit 2; } ;;
    *) echo "\`$1\` is no option: see the top of $0" >&2; exit 2 ;;
  esac
  case $2 in '' | 0* | *[!0-9]*) echo "\`$1 $2\`: give a number from 1 on" >&2; exit 2 ;; esac
  printf -v "${1#--}" %s "$2"
  shift 2
done
for program in gcc oclgrind cargo; do
  command -v "$program" > /dev/null || { echo "\`$program\` is not here: see the top of $0" >&2; exit 2; }
done

folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
kernels=benches/peers/reduction.cl
say() { echo "peers: $*" >&2; }

say "building"
gcc -std=c11 -D_POSIX_C_SOURCE=199309L -O2 -Wall -Wextra -o "$folder/opencl" benches/peers/opencl.c -lOpenCL
cargo bench --quiet -p simt --locked --bench peers --no-run
simt() { cargo bench --quiet -p simt --locked --bench peers -- --repeats "$repeats" --elements "$@"; }

# Who finds no race where there is one has no time worth knowing; `peers` asks itself the same.
oclgrind --data-races "$folder/opencl" "$kernels" 1024 1 reduce_interleaved_no_barrier > "$folder/racy" 2>&1 || true
grep -q "data race" "$folder/racy" || { echo "\`oclgrind --data-races\` found no race: is its version known?" >&2; exit 1; }

# row MACHINE CORES RACES ELEMENTS COMMAND...: a line of the table. Whatever a machine says on stderr fails the run, for
# it would be a race that is none.
row() {
  local title="| $1 | $2 | $3 | $4 |" medians=$folder/$1.$3.$4
  say "$1, races $3, $4 elements"
  shift 4
  "$@" > "$folder/out" 2> "$folder/err" || { cat "$folder/err" >&2; exit 1; }
  [ ! -s "$folder/err" ] || { cat "$folder/err" >&2; exit 1; }
  sed -n 's/^# //p' "$folder/out" >> "$folder/machines"
  awk '/^reduce_/ { print $4 }' "$folder/out" > "$medians"
  awk -v title="$title" '
    /^reduce_/ { cells = cells sprintf(" %.3g (%.3g) |", $4, $3) }
    END { print title cells }' "$folder/out"
}

# ratio A B: the least and the most, over the kernels, that the medians of A are as many times as those of B.
ratio() {
  paste -d ' ' "$folder/$1" "$folder/$2" | awk '
    { times = $1 / $2; if (NR == 1 || times < least) least = times; if (times > most) most = times }
    END { printf "%.*f to %.*f", least < 10, least, most < 10, most }'
}

summary() {
  echo "Millions of kernel threads a second, median (best) of $repeats launches; a thread of \`shared\` adds eight elements."
  echo "With $small elements, simt has $(ratio simt.no."$small" Oclgrind.no."$small") times the threads of Oclgrind, and" \
    "$(ratio simt.yes."$small" Oclgrind.yes."$small") times if both look"
  echo "for races. With $large elements, PoCL has $(ratio PoCL.no."$large" simt.no."$large") times the threads of simt."
}

table() {
  local cores
  cores=$(nproc)
  echo "| machine | cores | races | elements | \`neighbored\` | \`neighbored_less\` | \`interleaved\` | \`shared\` |"
  echo "| --- | ---: | --- | ---: | ---: | ---: | ---: | ---: |"
  row PoCL "$cores" no "$large" "$folder/opencl" "$kernels" "$large" "$repeats"
  row simt 1 no "$large" simt "$large"
  row simt 1 yes "$large" simt "$large" --races
  row PoCL "$cores" no "$small" "$folder/opencl" "$kernels" "$small" "$repeats"
  row simt 1 no "$small" simt "$small"
  row simt 1 yes "$small" simt "$small" --races
  row Oclgrind "$cores" no "$small" oclgrind "$folder/opencl" "$kernels" "$small" "$repeats"
  row Oclgrind "$cores" yes "$small" oclgrind --data-races "$folder/opencl" "$kernels" "$small" "$repeats"
}

# Where and with what: figures without it say nothing.
machine() {
  local model load
  model=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | sort -u | paste -sd '/')
  load=$(cut -d ' ' -f 1 /proc/loadavg)
  echo "$(date +%F), $(nproc) cores of $model, load average $load before, $(. /etc/os-release && echo "$PRETTY_NAME"),"
  echo "$(rustc --version | cut -d ' ' -f 1,2), gcc $(gcc -dumpfullversion), commit $(git rev-parse --short HEAD);"
  if awk -v load="$load" 'BEGIN { exit load < 0.5 }'; then
    echo "**the machine was busy: measure again on one that is not**;"
  fi
}

{
  machine
  table > "$folder/table"
  sort -u "$folder/machines" | paste -sd ';' | sed 's/;/; /; s/$/./'
  printf '\n'
  summary
  printf '\n'
  cat "$folder/table"
} > "$folder/report"
cat "$folder/report"

if [ "$record" ]; then
  awk -v report="$folder/report" '
    /^<!-- end of benches\/peers\/run.sh -->/ { inside = 0 }
    !inside { print }
    /^<!-- benches\/peers\/run.sh --record -->/ { inside = 1; while ((getline line < report) > 0) print line }
  ' BENCHMARKS.md > "$folder/benchmarks"
  cat "$folder/benchmarks" > BENCHMARKS.md
fi
