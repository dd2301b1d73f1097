#!/usr/bin/env bash
# Where the time of the emulator's benchmarks goes: for each, its share by file of simt, in percent of the samples.
#
#   apt-get install --no-install-recommends binutils linux-perf     (Debian's names; root, or kernel.perf_event_paranoid at 1)
#   benches/profile.sh [BENCHMARK...]     streaming, divergent, shared, tree, shuffle; tree_races and so on
#
# A sample belongs to the file of the innermost function of ours that was compiled into the place, so that what is
# inlined counts where it is written; copies of memory are libc's. What has less than 2 % is left out.
set -euo pipefail
cd "$(dirname "$0")/.."

[ $# -gt 0 ] || set -- streaming divergent shared tree shuffle
export CARGO_PROFILE_BENCH_DEBUG=line-tables-only
# "  Executable benches/throughput.rs (target/release/deps/throughput-0123)"
program=$(cargo bench -p simt --locked --bench throughput --no-run 2>&1 | sed -n 's/.*Executable .* (\(.*\))/\1/p')
[ -x "$program" ] || { echo "cargo names no program: \`cargo bench -p simt --bench throughput --no-run\`" >&2; exit 1; }
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
# Where Linux puts a program whose addresses are not drawn by lot.
base=0x555555554000

for name in "$@"; do
  setarch -R perf record --quiet -e cpu-clock -F 997 -o "$folder/data" \
    "$program" --bench --profile-time 10 "^$name/threads\$" > "$folder/log" 2>&1 || { cat "$folder/log" >&2; exit 1; }
  # The middle, for before and after it every other benchmark runs once, to be counted.
  perf script -i "$folder/data" --time 35%-75% -F ip 2> "$folder/log" | sort | uniq -c > "$folder/places"
  while read -r count place; do
    if [[ $place == 5555* ]]; then printf '%d %x\n' "$count" $((0x$place - base)); else echo "$count outside"; fi
  done < "$folder/places" > "$folder/samples"
  sed -n 's/.* \([0-9a-f]*\)$/\1/p' "$folder/samples" > "$folder/addresses"
  addr2line -a -i -e "$program" < "$folder/addresses" > "$folder/lines"
  echo "$name"
  awk '
    FNR == NR && /^0x/ { sub(/^0x0*/, ""); place = $0; next }
    FNR == NR { if (!(place in file) && match($0, /simt\/src\/[^:]*/)) file[place] = substr($0, RSTART + 9, RLENGTH - 9); next }
    { all += $1; of = $2 == "outside" ? "libc and the kernel" : $2 in file ? file[$2] : "Rust'\''s library"; sum[of] += $1 }
    END { for (of in sum) if (sum[of] >= 0.02 * all) printf "%5.0f %% %s\n", 100 * sum[of] / all, of }
  ' "$folder/lines" "$folder/samples" | sort -nr
done
