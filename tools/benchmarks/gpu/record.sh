#!/usr/bin/env bash
# Runs all chapters on a machine with an NVIDIA GPU and Nsight Compute, and leaves what they print in a folder, from which
# `cargo xtask record` makes the chapters' records. Rust is not needed here: the programs were built elsewhere.
#
#   cargo build --release --workspace --bins
#   tools/benchmarks/gpu/record.sh target/release FOLDER          on the machine with the GPU
#   cargo xtask record FOLDER --date "$(date +%F)"
#
# KERNELS says how many random kernels to compare, PTXAS lists assemblers, and TIME_LIMIT is the number of seconds after
# which no more random kernels are started.
set -euo pipefail
cd "$(dirname "$0")/../../.."

[ $# -ge 2 ] || { echo "usage: tools/benchmarks/gpu/record.sh PROGRAMS FOLDER [CHAPTER...]" >&2; exit 2; }
programs=$1 folder=$2
shift 2
[ $# -gt 0 ] || set -- $(cd chapters && ls -d ch*)
metrics=$("$programs/xtask" metrics)
mkdir -p "$folder"
failed=0
for chapter in "$@"; do
  program=$programs/$chapter
  number=0
  while read -r -a options; do
    "$program" --device gpu "${options[@]}" --json > "$folder/$chapter.$number.json" < /dev/null \
      || { echo "$chapter, run $number: status $?"; failed=1; }
    number=$((number + 1))
  done < <(sed -n "s/^\$ $chapter//p" "chapters/$chapter/output/runs.txt")
  "$program" --device gpu --runs 0 --json > "$folder/$chapter.counted.json" || true
  ncu --clock-control none --csv --page raw --print-units base --metrics "$metrics" \
    "$program" --device gpu --runs 0 > "$folder/$chapter.csv" || true
  echo "$chapter: $(grep -c '^"' "$folder/$chapter.csv") lines of counters"
  # The profiler's full report on a few rows, if the chapter names some.
  if [ -f "chapters/$chapter/output/profile.txt" ]; then
    read -r -a options < <(sed -n "s/^\$ $chapter//p" "chapters/$chapter/output/profile.txt")
    ncu --set full --clock-control none --force-overwrite --export "$folder/$chapter.profile" \
      "$program" --device gpu "${options[@]}" --runs 0 > /dev/null || true
    ncu --import "$folder/$chapter.profile.ncu-rep" --page details > "$folder/$chapter.profile.txt"
    ncu --import "$folder/$chapter.profile.ncu-rep" --page raw --csv --print-units base > "$folder/$chapter.profile.csv"
    rm "$folder/$chapter.profile.ncu-rep"
  fi
done
# NVIDIA's race checker on the kernels whose races ours reports.
for variant in tree_no_barrier tail_unguarded warp_tree_unguarded; do
  compute-sanitizer --tool racecheck --racecheck-report all "$programs/ch03_syncwarp" --device gpu --only "$variant" --runs 0 \
    > "$folder/racecheck_$variant.txt" 2>&1 || true
done
for contest in "beside_cub sum.sm_70" "scan_beside_cub scan_ahead.sm_70"; do
  read -r name kernel <<< "$contest"
  nvcc -O3 -std=c++17 -arch=native -o "$folder/$name" "tools/benchmarks/gpu/$name.cu" -lcuda
  "$folder/$name" "kernels/ptx/$kernel.ptx" > "$folder/$name.json" || { echo "$name: status $?"; failed=1; }
  rm "$folder/$name"
done
# The small texts that show what compilers make of a program, and random kernels: every difference must have a compiler
# as its known cause. Besides the driver, they use the assemblers in PTXAS, or the one of the installed nvcc.
read -r -a assemblers <<< "${PTXAS:-$(command -v ptxas || true)}"
asked=("${assemblers[@]/#/--ptxas=}")
today=$(date +%F)
"$programs/difftest" texts crates/simt/tests/hardware crates/simt/tests/compilers --processes "$(nproc)" --batch 4 \
  "${asked[@]}" --date "$today" --save "$folder/texts.json" > "$folder/texts.txt" \
  || { echo "texts: status $?"; failed=1; }
"$programs/difftest" gpu --count "${KERNELS:-20000}" --seconds $((${TIME_LIMIT:-3600} - SECONDS)) --processes "$(nproc)" \
  "${asked[@]}" --date "$today" --save "$folder/random.json" \
  || { echo "random kernels: status $?"; failed=1; }
exit $failed
