#!/usr/bin/env bash
# Compares our emulator with two implementations of OpenCL in one run: PoCL, which compiles kernels for the processor,
# and Oclgrind, which interprets them and finds races. All run the same kernels on the same input, with the same sizes:
# reductions and Collatz sequences in blocks of 1024, and a step of Laplace's equation in blocks of 16 times 16. Prints
# one table. The others use all cores; our emulator has rows for one core and for all of them. Then it launches each
# kernel on our emulator and on PoCL in turn, so that the ratio does not depend on what else the computer did meanwhile.
#
#   apt-get install --no-install-recommends gcc libc6-dev ocl-icd-opencl-dev pocl-opencl-icd oclgrind     (Debian's names)
#   tools/benchmarks/peers/run.sh [--large 16777216] [--small 262144] [--repeats 3] [--pairs 9] [--record]
#
# Oclgrind runs the small size only. --record puts the table into docs/BENCHMARKS.md, in place of the old one. `taskset -c 0
# tools/benchmarks/peers/run.sh` gives every machine one core. It takes about ten minutes with two.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. tools/benchmarks/report.sh

large=16777216 small=262144 repeats=3 pairs=9 record=
while [ $# -gt 0 ]; do
  case $1 in
    --record) record=yes; shift; continue ;;
    --large | --small | --repeats | --pairs) [ $# -ge 2 ] || { echo "\`$1\` needs a number" >&2; exit 2; } ;;
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
kernels=tools/benchmarks/peers/kernels.cl
cores=$(nproc)
say() { echo "peers: $*" >&2; }

say "building"
gcc -std=c11 -D_POSIX_C_SOURCE=199309L -O2 -Wall -Wextra -o "$folder/opencl" tools/benchmarks/peers/opencl.c -lOpenCL
cargo bench --quiet -p ptx-emulator --locked --bench peers --no-run
simt() { cargo bench --quiet -p ptx-emulator --locked --bench peers -- --repeats "$@"; }

# If a machine finds no race where there is one, its time means nothing; `peers` checks that itself.
oclgrind --data-races "$folder/opencl" "$kernels" 1024 1 reduce_interleaved_no_barrier > "$folder/racy" 2>&1 || true
grep -q "data race" "$folder/racy" || { echo "\`oclgrind --data-races\` found no race: is its version known?" >&2; exit 1; }

# row MACHINE CORES RACES ELEMENTS COMMAND...: a line of the table. Anything that a machine prints on stderr fails the
# run, because it would be a race where there is none.
row() {
  local title="| $1 | $2 | $3 | $4 |" medians=$folder/$1.$2.$3.$4
  say "$1, cores $2, races $3, $4 elements"
  shift 4
  "$@" > "$folder/out" 2> "$folder/err" || { cat "$folder/err" >&2; exit 1; }
  [ ! -s "$folder/err" ] || { cat "$folder/err" >&2; exit 1; }
  sed -n 's/^# //p' "$folder/out" >> "$folder/machines"
  awk 'NF == 4 { print $4 }' "$folder/out" > "$medians"
  awk -v title="$title" '
    NF == 4 { cells = cells sprintf(" %.3g (%.3g) |", $4, $3) }
    END { print title cells }' "$folder/out"
}

# The kernels, in the order in which both programs print them.
names=(neighbored neighbored_less interleaved shared laplace collatz)

# alternate: launches every kernel once on PoCL and once on simt, `pairs` times, and prints the median of the ratios of
# each kernel, and the lowest and the highest.
alternate() {
  local pair
  for pair in $(seq "$pairs"); do
    say "launch $pair of $pairs on PoCL and on simt, $large elements"
    "$folder/opencl" "$kernels" "$large" 1 | awk 'NF == 4 { print $4 }' > "$folder/theirs"
    simt 1 --cores "$cores" --elements "$large" | awk 'NF == 4 { print $4 }' > "$folder/ours"
    printf '%s\n' "${names[@]}" | paste -d ' ' - "$folder/ours" "$folder/theirs" |
      awk '{ print $1, $2 / $3 }' >> "$folder/pairs"
  done
  echo "In $pairs launches of each in turn with $large elements, simt on $cores cores has so many times the threads of PoCL:"
  echo
  echo "| kernel | median | lowest | highest | wanted |"
  echo "| --- | ---: | ---: | ---: | ---: |"
  printf '%s\n' "${names[@]}" | paste -d ' ' - <(printf '%s\n' 0.6 1.0 1.2 1.0 0.5 0.2) | while read -r name wanted; do
    awk -v name="$name" '$1 == name { print $2 }' "$folder/pairs" | sort -g | awk -v name="$name" -v wanted="$wanted" '
      { ratio[NR] = $1 }
      END { printf "| `%s` | %.2f | %.2f | %.2f | %s |\n", name, ratio[int((NR + 1) / 2)], ratio[1], ratio[NR], wanted }'
  done
}

# ratios A B: how many times as many threads A has as B, by kernel.
ratios() {
  printf '%s\n' "${names[@]}" | paste -d ' ' - "$folder/$1" "$folder/$2" | awk '
    { times = $2 / $3; line = line sprintf("%s`%s` %.*f", NR > 1 ? ", " : "", $1, times < 10 ? 2 : 0, times) }
    END { print line }'
}

summary() {
  echo "Millions of kernel threads a second, median (best) of $repeats launches; a thread of \`shared\` adds eight elements."
  echo
  echo "With $small elements and if both look for races, simt has so many times the threads of Oclgrind (wanted: 100 for reductions):"
  echo "on $cores cores $(ratios "simt.$cores.yes.$small" "Oclgrind.$cores.yes.$small");"
  echo "on one $(ratios "simt.1.yes.$small" "Oclgrind.$cores.yes.$small")."
}

# ours ELEMENTS: simt on one core and on all, without and with races.
ours() {
  local some
  for some in $(printf '%s\n' 1 "$cores" | sort -u); do
    row simt "$some" no "$1" simt "$repeats" --cores "$some" --elements "$1"
    row simt "$some" yes "$1" simt "$repeats" --cores "$some" --elements "$1" --races
  done
}

table() {
  printf '| machine | cores | races | elements |'
  printf ' `%s` |' "${names[@]}"
  printf '\n| --- | ---: | --- | ---: |'
  printf ' ---: |%.0s' "${names[@]}"
  printf '\n'
  row PoCL "$cores" no "$large" "$folder/opencl" "$kernels" "$large" "$repeats"
  ours "$large"
  row PoCL "$cores" no "$small" "$folder/opencl" "$kernels" "$small" "$repeats"
  ours "$small"
  row Oclgrind "$cores" no "$small" oclgrind "$folder/opencl" "$kernels" "$small" "$repeats"
  row Oclgrind "$cores" yes "$small" oclgrind --data-races "$folder/opencl" "$kernels" "$small" "$repeats"
}

{
  echo "$(machine "gcc $(gcc -dumpfullversion)");"
  alternate > "$folder/alternate"
  table > "$folder/table"
  sort -u "$folder/machines" | paste -sd ';' | sed 's/;/; /; s/$/./'
  printf '\n'
  summary
  printf '\n'
  cat "$folder/table"
  printf '\n'
  cat "$folder/alternate"
} > "$folder/report"
cat "$folder/report"
[ -z "$record" ] || record tools/benchmarks/peers/run.sh "$folder/report"
