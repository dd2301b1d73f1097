#!/usr/bin/env bash
# Measures everything that docs/BENCHMARKS.md reports, and prints its tables, none of which is made by hand. What needs a GPU
# is left out.
#
#   apt-get install --no-install-recommends time     (Debian's name; `peers` and `profile` name their own needs)
#   tools/benchmarks/all.sh [--record] [PART...]              throughput chapter1 chapters start build profile peers: all of them
#   tools/benchmarks/all.sh --check                           measures nothing
#
# --record puts each table into docs/BENCHMARKS.md, in place of the old one. All parts together take twenty minutes on
# two cores that do nothing else. --check says whether the tables there come from one day and one commit, and from a
# machine that was not busy; so does --record at the end.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tools/benchmarks/report.sh

# Whether the tables of docs/BENCHMARKS.md come from one day and one commit, and from a machine that was not busy.
check() {
  awk '
    /^<!-- tools\/benchmarks\/(all|peers)/ { name = $0; gsub(/^<!-- | -->$/, "", name); tables++; head = ""; lines = 2; next }
    lines > 0 {
      head = head " " $0
      if (--lines > 0) next
      if (!match(head, /20[0-9][0-9]-[0-9][0-9]-[0-9][0-9]/)) { print "all: `" name "` has no date"; failed = 1; next }
      when = substr(head, RSTART, RLENGTH)
      if (!match(head, /commit [0-9a-f]+/)) { print "all: `" name "` has no commit"; failed = 1; next }
      when = when ", " substr(head, RSTART, RLENGTH)
      if (head ~ /and changes/) { print "all: `" name "` was measured with changes that are not committed"; failed = 1 }
      if (head ~ /was busy/) { print "all: `" name "` was measured on a busy machine"; failed = 1 }
      if (first == "") { first = when; of = name }
      if (when != first) { print "all: `" name "` is of " when ", and `" of "` of " first; failed = 1 }
    }
    END {
      if (tables == 0) { print "all: docs/BENCHMARKS.md has no tables"; failed = 1 }
      exit failed
    }
  ' docs/BENCHMARKS.md >&2
}

all=(throughput chapter1 chapters start build profile peers) parts=() record=
if [ "$*" = --check ]; then check; exit; fi
for word in "$@"; do
  if [ "$word" = --record ]; then record=yes; continue; fi
  [[ " ${all[*]} " == *" $word "* ]] || { echo "\`$word\` is none of ${all[*]}" >&2; exit 2; }
  parts+=("$word")
done
[ ${#parts[@]} -gt 0 ] || parts=("${all[@]}")
[ -x /usr/bin/time ] || { echo "\`/usr/bin/time\` is not here: see the top of $0" >&2; exit 2; }

target=${CARGO_TARGET_DIR:-target}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
say() { echo "all: $*" >&2; }
# The median of the numbers in the input, one on each line.
median() { sort -g | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }'; }

# rate NAME UNIT: millions per second, from the median of criterion's samples.
rate() {
  local files=${CRITERION_HOME:-$target/criterion}/$1/$2/new
  local count nanoseconds
  count=$(sed -n 's/.*"throughput":{"Elements":\([0-9]*\)}.*/\1/p' "$files/benchmark.json")
  nanoseconds=$(sed -n 's/.*"median":{[^}]*},"point_estimate":\([0-9.e+]*\).*/\1/p' "$files/estimates.json")
  [ "$count" ] && [ "$nanoseconds" ] || { echo "\`$files\` is not as criterion 0.8 writes it" >&2; return 1; }
  awk -v count="$count" -v nanoseconds="$nanoseconds" 'BEGIN { printf "%.1f", 1000 * count / nanoseconds }'
}

throughput() {
  local name all what
  cargo bench --quiet -p ptx-emulator --locked --bench throughput > "$folder/log" 2>&1 || { cat "$folder/log" >&2; return 1; }
  echo "Medians of criterion's ten samples, millions a second; the first two columns on one core, the others on all."
  echo
  echo "| benchmark | kernel and size | warp instructions | kernel threads | all cores: warp instructions | kernel threads |"
  echo "| --- | --- | ---: | ---: | ---: | ---: |"
  while IFS=: read -r name what; do
    all=${name}_cores
    echo "| $name | $what | $(rate "$name" warp_instructions) | $(rate "$name" threads)" \
      "| $(rate "$all" warp_instructions) | $(rate "$all" threads) |"
  done << 'END'
streaming:`saxpy`, 2^22 elements, blocks of 256
divergent:`bench_divergent`: Collatz steps, as many as the data wants
shared:`bench_shared`: a tree in shared memory, with block barriers
tree:`bench_tree`: a tree in global memory, 2^20 integers, blocks of 1024
shuffle:`bench_shuffle`: a sum by shuffles
END
  echo
  echo "With the checkers, and with a watcher that looks at nothing, on one core, millions of warp instructions a second:"
  echo
  echo "| benchmark | neither | races | initialisation | all checkers | watcher |"
  echo "| --- | ---: | ---: | ---: | ---: | ---: |"
  for name in streaming divergent shared tree shuffle; do
    echo "| $name |$(for way in '' _races _initialisation _all _watched; do printf ' %s |' "$(rate "$name$way" warp_instructions)"; done)"
  done
}

chapter1() {
  cargo bench --quiet -p ch01_divergence --locked --bench note_size > "$folder/log" 2>&1 ||
    { cat "$folder/log" >&2; return 1; }
  echo "| kernel | PTX instructions | seconds | unoptimised: PTX instructions | seconds |"
  echo "| --- | ---: | ---: | ---: | ---: |"
  awk '
    function thousands(number,  text) {
      for (; length(number) > 3; number = substr(number, 1, length(number) - 3)) text = "," substr(number, length(number) - 2) text
      return number text
    }
    $2 == "sm_70" { order[++count] = $1; plain[$1] = thousands($3) " | " $4 }
    $2 == "sm_70-debug" { debug[$1] = thousands($3) " | " $4 }
    END { for (i = 1; i <= count; i++) print "| `" order[i] "` | " plain[order[i]] " | " debug[order[i]] " |" }
  ' "$folder/log"
}

# whole PROGRAM OPTION... KERNEL: a line about three runs of a chapter's program for one kernel.
whole() {
  local kernel=${*: -1}
  for _ in 1 2 3; do
    /usr/bin/time -a -o "$folder/$kernel" -f '%e %U %M' "$target/debug/$1" "${@:2:$#-2}" --only "$kernel" > /dev/null
  done
  printf '| `%s` |' "$kernel"
  for column in 1 2; do printf ' %.1f |' "$(cut -d ' ' -f "$column" "$folder/$kernel" | median)"; done
  cut -d ' ' -f 3 "$folder/$kernel" | median | awk '{ printf " %.2f |\n", $1 / 1e6 }'
}

chapters() {
  local head=$'| kernel | s | user s | GB |\n| --- | ---: | ---: | ---: |' kernel
  cargo build --quiet --locked --bin ch02_reduction --bin ch03_syncwarp --bin ch04_shfl
  echo "\`ch02_reduction --size 16777216 --block 1024 --check off --only KERNEL\`, 2^24 integers:"
  printf '\n%s\n' "$head"
  for kernel in reduce_neighbored reduce_neighbored_less reduce_interleaved two_parts eight_parts shared \
    shared_last_warp; do
    whole ch02_reduction --size 16777216 --block 1024 --check off "$kernel"
  done
  printf '\n%s\n' "\`ch03_syncwarp\` and \`ch04_shfl --size 100000000 --block 128 --check off --only KERNEL\`, 10^8 floats:"
  printf '\n%s\n' "$head"
  whole ch03_syncwarp --size 100000000 --block 128 --check off tail_syncwarp_float
  for kernel in sum_shared sum_shuffle sum_butterfly sum_tile sum_warps_first two_pass two_pass_chunked \
    two_pass_static two_pass_doubled sum_narrow sum_wide sum_last_block; do
    whole ch04_shfl --size 100000000 --block 128 --check off "$kernel"
  done
  printf '\n%s\n' "The same with all checkers, \`--check on\`:"
  printf '\n%s\n' "$head"
  for kernel in sum_shuffle two_pass sum_last_block; do
    whole ch04_shfl --size 100000000 --block 128 --check on "$kernel"
  done
}

# Milliseconds from the start of a chapter's program to its first line, and to its last.
start() {
  local program name from first line
  cargo build --quiet --locked $(cd chapters && printf -- '--bin %s ' ch*)
  echo "| chapter | first line, ms | last line, ms |"
  echo "| --- | ---: | ---: |"
  for program in chapters/ch*; do
    name=${program#chapters/}
    for _ in {1..21}; do
      from=${EPOCHREALTIME/[^0-9]/}
      {
        read -r line
        first=${EPOCHREALTIME/[^0-9]/}
        while read -r line; do :; done
      } < <("$target/debug/$name" --device sim)
      echo $((first - from)) $((${EPOCHREALTIME/[^0-9]/} - from))
    done > "$folder/$name"
    awk -v name="$name" -v first="$(cut -d ' ' -f 1 "$folder/$name" | median)" \
      -v last="$(cut -d ' ' -f 2 "$folder/$name" | median)" \
      'BEGIN { printf "| `%s` | %.1f | %.0f |\n", name, first / 1000, last / 1000 }'
  done
}

# From the crates' sources alone to a chapter's report, as with a reader's first `cargo run`.
build() {
  cargo fetch --quiet --locked
  CARGO_TARGET_DIR=$folder/cold /usr/bin/time -o "$folder/build" -f '%e %U %S' \
    cargo build --quiet --locked --offline --bin ch04_shfl
  read -r wall user system < "$folder/build"
  rm -r "$folder/cold"
  echo "\`cargo build --bin ch04_shfl\` into a new folder, crates downloaded: $wall s, of which the compilers had the cores"
  echo "for $user s and the system for $system s."
}

profile() {
  tools/benchmarks/profile.sh
}

for part in "${parts[@]}"; do
  say "$part"
  if [ "$part" = peers ]; then
    tools/benchmarks/peers/run.sh ${record:+--record}
    continue
  fi
  {
    echo "$(machine)."
    echo
    "$part"
  } > "$folder/table"
  cat "$folder/table"
  [ -z "$record" ] || record "tools/benchmarks/all.sh $part" "$folder/table"
done
say "${SECONDS} s"
# If only some parts were measured, the others are older.
[ -z "$record" ] || check || [ ${#parts[@]} -lt ${#all[@]} ]
