# Sourced by the scripts that measure: where and with what it was measured, and how a table comes into BENCHMARKS.md.
# What it leaves out: measuring. It expects to stand in the root of the repository.

# busy: how much of two seconds the cores did anything, in percent, while nothing of ours runs.
busy() {
  local before
  before=$(head -n 1 /proc/stat)
  sleep 2
  head -n 1 /proc/stat | awk -v before="$before" '
    {
      split(before, was)
      for (i = 2; i <= 9; i++) all += $i - was[i]
      # The fourth and the fifth number are what the cores were idle, or waited for a disk.
      printf "%.0f", 100 - 100 * ($5 - was[5] + $6 - was[6]) / all
    }'
}

# machine [PROGRAM...]: what figures say nothing without, as a sentence without its end.
machine() {
  local model load changes=
  model=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | sort -u | paste -sd '/')
  load=$(busy)
  git diff --quiet HEAD -- '*.rs' '*.toml' Cargo.lock kernels || changes=' and changes'
  echo "$(date +%F), $(nproc) cores of $model, $load % busy before, $(. /etc/os-release && echo "$PRETTY_NAME"),"
  printf '%s' "$(rustc --version | cut -d ' ' -f 1,2), ${*:+$*, }commit $(git rev-parse --short HEAD)$changes"
  [ "$load" -lt 10 ] || printf '; **the machine was busy: measure again on one that is not**'
}

# record NAME FILE: puts a file into BENCHMARKS.md, in the place of what stands between the markers of that name.
record() {
  local name=$1 table=$2 new
  grep -qxF "<!-- $name -->" BENCHMARKS.md && grep -qxF "<!-- end of $name -->" BENCHMARKS.md ||
    { echo "BENCHMARKS.md has no place for \`$name\`: put its two markers back" >&2; return 1; }
  new=$(mktemp)
  awk -v name="$name" -v table="$table" '
    $0 == "<!-- end of " name " -->" { inside = 0 }
    !inside { print }
    $0 == "<!-- " name " -->" { inside = 1; while ((getline line < table) > 0) print line }
  ' BENCHMARKS.md > "$new"
  cat "$new" > BENCHMARKS.md
  rm "$new"
}
