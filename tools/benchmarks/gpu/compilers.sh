#!/usr/bin/env bash
# Runs all chapters on a GPU twice, with the committed PTX of NVIDIA's compiler and with cudac's.
#
#   tools/benchmarks/gpu/compilers.sh build FOLDER        anywhere: builds both, into FOLDER/nvrtc and FOLDER/cudac
#   tools/benchmarks/gpu/compilers.sh run FOLDER OUTPUT   on the machine with the GPU, which needs no Rust
#   cargo xtask compilers OUTPUT --date "$(date +%F)"
#
# Kernels built for a debugger and the tests of single features (`features_*`) keep NVIDIA's PTX.
set -euo pipefail
cd "$(dirname "$0")/../../.."

usage() { echo "usage: tools/benchmarks/gpu/compilers.sh build FOLDER | run FOLDER OUTPUT" >&2; exit 2; }

# Puts cudac's PTX in the place of the committed one, under the same first lines, which name the source it was made of.
replace_ptx() {
  local file name build
  for file in kernels/ptx/*.ptx; do
    name=$(basename "$file" .ptx)
    build=${name##*.sm_}
    case $name in features_* | *-debug) continue ;; esac
    head -3 "$file" > "$file.new"
    (cd kernels && "$compile" "${name%%.*}.cu" "$build") >> "$file.new" 2> /dev/null
    mv "$file.new" "$file"
  done
}

build() {
  local folder=$1 copy chapter
  local packages=()
  for chapter in chapters/ch*; do packages+=(-p "$(basename "$chapter")"); done
  mkdir -p "$folder/nvrtc" "$folder/cudac"
  cargo build --locked -p cudac --example compile
  cargo build --locked "${packages[@]}"
  compile=$PWD/target/debug/examples/compile
  copy=$(mktemp -d)
  # The name is local, so the trap has its value.
  # shellcheck disable=SC2064
  trap "rm -rf '$copy'" EXIT
  git archive HEAD | tar -x -C "$copy"
  (cd "$copy" && replace_ptx && cargo build --locked --target-dir target "${packages[@]}")
  for chapter in chapters/ch*; do
    chapter=$(basename "$chapter")
    cp "target/debug/$chapter" "$folder/nvrtc/"
    cp "$copy/target/debug/$chapter" "$folder/cudac/"
  done
}

# A chapter ends with status 1 if a row is not as it expects, which is for `cargo xtask compilers` to judge.
run() {
  local folder=$1 output=$2 size chapter compiler
  mkdir -p "$output"
  for size in usual 1000000; do
    for chapter in "$folder"/nvrtc/*; do
      chapter=$(basename "$chapter")
      local options=(--device gpu --json)
      [ "$size" = usual ] || options+=(--size "$size")
      for compiler in nvrtc cudac; do
        "$folder/$compiler/$chapter" "${options[@]}" < /dev/null > "$output/$chapter.$compiler.$size.json" \
          || echo "$chapter, $compiler, $size: status $?"
      done
    done
  done
}

case ${1:-} in
  build) [ $# -eq 2 ] || usage; build "$2" ;;
  run) [ $# -eq 3 ] || usage; run "$2" "$3" ;;
  *) usage ;;
esac
