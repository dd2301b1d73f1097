#!/usr/bin/env bash
# Runs all chapters on a machine with an NVIDIA GPU and Nsight Compute, and leaves what they print in a folder, from which
# `cargo xtask record` makes the chapters' records. Rust is not needed here: the programs were built elsewhere.
#
#   cargo build --release --workspace --bins
#   benches/gpu/record.sh target/release FOLDER          on the machine with the GPU
#   cargo xtask record FOLDER --date "$(date +%F)"
#
# KERNELS says how many random kernels to compare, PTXAS lists assemblers, and TIME_LIMIT is the number of seconds after
# which no more random kernels are started.
set -euo pipefail
cd "$(dirname "$0")/../.."

[ $# -ge 2 ] || { echo "usage: benches/gpu/record.sh PROGRAMS FOLDER [CHAPTER...]" >&2; exit 2; }
programs=$1 folder=$2
shift 2
[ $# -gt 0 ] || set -- $(cd chapters && ls -d ch*)
metrics=$("$programs/xtask" metrics)
mkdir -p "$folder"
failed=0
for chapter in "$@"; do
  program=$programs/$chapter
  # Text and JSON of one run, so that the times in them are the same.
  "$program" --device gpu --save "$folder/$chapter.json" > "$folder/$chapter.txt" || { echo "$chapter: status $?"; failed=1; }
  number=0
  while read -r -a options; do
    number=$((number + 1))
    "$program" --device gpu "${options[@]}" --save "$folder/$chapter.note$number.json" \
      > "$folder/$chapter.note$number.txt" < /dev/null || { echo "$chapter, note $number: status $?"; failed=1; }
  done < <(sed -n 's/^\$ .* -- //p' "chapters/$chapter/output/h200_note_size.txt")
  "$program" --device gpu --runs 0 --json > "$folder/$chapter.counted.json" || true
  ncu --clock-control none --csv --page raw --print-units base --metrics "$metrics" \
    "$program" --device gpu --runs 0 > "$folder/$chapter.csv" || true
  echo "$chapter: $(grep -c '^"' "$folder/$chapter.csv") lines of counters"
done
nvcc -O3 -std=c++17 -arch=native -o "$folder/beside_cub" benches/gpu/beside_cub.cu -lcuda
"$folder/beside_cub" kernels/ptx/sum.sm_70.ptx > "$folder/beside_cub.txt"
rm "$folder/beside_cub"
# The small texts that show what compilers make of a program, and random kernels: nothing may differ that no compiler can be
# blamed for. Besides the driver, they ask the assemblers in PTXAS, or the one that nvcc brings.
read -r -a assemblers <<< "${PTXAS:-$(command -v ptxas || true)}"
asked=("${assemblers[@]/#/--ptxas=}")
today=$(date +%F)
"$programs/fuzz" texts simt/tests/hardware simt/tests/compilers --processes "$(nproc)" --batch 4 \
  "${asked[@]}" --date "$today" --save "$folder/texts.json" > "$folder/texts.txt" \
  || { echo "texts: status $?"; failed=1; }
"$programs/fuzz" gpu --count "${KERNELS:-20000}" --seconds $((${TIME_LIMIT:-3600} - SECONDS)) --processes "$(nproc)" \
  "${asked[@]}" --date "$today" --save "$folder/random.json" \
  || { echo "random kernels: status $?"; failed=1; }
exit $failed
