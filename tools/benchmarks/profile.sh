#!/usr/bin/env bash
# Where the time of the emulator's benchmarks goes, as a table: a line for each benchmark, percent of its samples.
#
#   apt-get install --no-install-recommends binutils linux-perf     (Debian's names; root, or kernel.perf_event_paranoid at 1)
#   tools/benchmarks/profile.sh [BENCHMARK...] [--files]     the five without checkers, and with all of them
#
# A sample counts for the file of our innermost function at that address, so inlined code counts where it is written.
# --files prints the files themselves instead, from 2 % on.
set -euo pipefail
cd "$(dirname "$0")/../.."

files= names=()
for word in "$@"; do
  if [ "$word" = --files ]; then files=yes; else names+=("$word"); fi
done
[ ${#names[@]} -gt 0 ] || names=({streaming,divergent,shared,tree,shuffle}{,_all})
export CARGO_PROFILE_BENCH_DEBUG=line-tables-only
# "  Executable benches/throughput.rs (target/release/deps/throughput-0123)"
program=$(cargo bench -p ptx-emulator --locked --bench throughput --no-run 2>&1 | sed -n 's/.*Executable .* (\(.*\))/\1/p')
[ -x "$program" ] || { echo "cargo names no program: \`cargo bench -p ptx-emulator --bench throughput --no-run\`" >&2; exit 1; }
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT

# The part of the emulator that a file belongs to: the first pattern that matches; `rest` is everything else, mostly
# Rust's own library.
patterns='loop=^exec\/(step|team\/(mod|run))\.rs registers=^machine\/(registers|file)\.rs shuffles=^(isa\/(op\/)?warp|exec\/(collective|team\/control))\.rs
  arithmetic=^(isa\/|exec\/team\/compute|machine\/affine)
  memory=^(access\/|exec\/(memory|atomics|generic|mbarrier|team\/(addresses|memory|piece|stretch))|report\/counters|machine\/(global|local|fork|elements))
  checkers=^(order\/|machine\/written|checkers\/)
  turns=^(exec|schedule|machine)\/ libc=^libc rest=.'
parts=(loop registers arithmetic shuffles memory turns checkers libc rest)

by_part() {
  awk -v patterns="$patterns" -v parts="${parts[*]}" -v name="$name" '
    BEGIN { count = split(patterns, pattern, /[ \n]+/) }
    {
      all += $1
      for (i = 1; i <= count; i++) { split(pattern[i], is, "="); if ($2 ~ is[2]) { sum[is[1]] += $1; break } }
    }
    END {
      row = "| " name " |"
      for (i = 1; i <= split(parts, part, " "); i++) row = row sprintf(" %.0f |", 100 * sum[part[i]] / all)
      print row
    }' "$folder/files"
}

by_file() {
  echo "$name"
  awk '
    { all += $1; sum[$2] += $1 }
    END { for (of in sum) if (sum[of] >= 0.02 * all) printf "%5.0f %% %s\n", 100 * sum[of] / all, of }
  ' "$folder/files" | sort -nr
}

# Where Linux loads a program if addresses are not randomised.
base=0x555555554000

if [ -z "$files" ]; then
  echo "| benchmark |$(printf ' %s |' "${parts[@]}")"
  echo "| --- |$(printf ' %.0s---: |' "${parts[@]}")"
fi
for name in "${names[@]}"; do
  setarch -R perf record --quiet -e cpu-clock -F 997 -o "$folder/data" \
    "$program" --bench --profile-time 10 "^$name/threads\$" > "$folder/log" 2>&1 || { cat "$folder/log" >&2; exit 1; }
  # The middle of the run, because before and after it every other benchmark runs once, to be counted.
  perf script -i "$folder/data" --time 35%-75% -F ip 2> "$folder/log" | sort | uniq -c > "$folder/places"
  while read -r count place; do
    if [[ $place == 5555* ]]; then printf '%d %x\n' "$count" $((0x$place - base)); else echo "$count outside"; fi
  done < "$folder/places" > "$folder/samples"
  sed -n 's/.* \([0-9a-f]*\)$/\1/p' "$folder/samples" > "$folder/addresses"
  addr2line -a -i -e "$program" < "$folder/addresses" > "$folder/lines"
  awk '
    FNR == NR && /^0x/ { sub(/^0x0*/, ""); place = $0; next }
    FNR == NR { if (!(place in file) && match($0, /simt\/src\/[^:]*/)) file[place] = substr($0, RSTART + 9, RLENGTH - 9); next }
    { print $1, $2 == "outside" ? "libc" : $2 in file ? file[$2] : "library" }
  ' "$folder/lines" "$folder/samples" > "$folder/files"
  if [ "$files" ]; then by_file; else by_part; fi
done
