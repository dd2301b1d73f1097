# Sourced by the scripts that measure: where and with what a table was measured, and how it is put into docs/BENCHMARKS.md.
# It measures nothing itself. The working directory must be the root of the repository.

# busy: how busy the cores were during two seconds, in percent, while nothing of ours was running.
busy() {
  local before
  before=$(head -n 1 /proc/stat)
  sleep 2
  head -n 1 /proc/stat | awk -v before="$before" '
    {
      split(before, was)
      for (i = 2; i <= 9; i++) all += $i - was[i]
      # The fourth and the fifth number are the time in which the cores were idle, or waited for a disk.
      printf "%.0f", 100 - 100 * ($5 - was[5] + $6 - was[6]) / all
    }'
}

# machine [PROGRAM...]: the facts without which figures mean nothing, as the beginning of a sentence.
machine() {
  local model load changes=
  model=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | sort -u | paste -sd '/')
  load=$(busy)
  git diff --quiet HEAD -- '*.rs' '*.toml' Cargo.lock kernels || changes=' and changes'
  echo "$(date +%F), $(nproc) cores of $model, $load % busy before, $(. /etc/os-release && echo "$PRETTY_NAME"),"
  printf '%s' "$(rustc --version | cut -d ' ' -f 1,2), ${*:+$*, }commit $(git rev-parse --short HEAD)$changes"
  [ "$load" -lt 10 ] || printf '; **the machine was busy: measure again on one that is not**'
}

# record NAME FILE: puts a file into docs/BENCHMARKS.md, in place of what is between the markers of that name.
record() {
  local name=$1 table=$2 new
  grep -qxF "<!-- $name -->" docs/BENCHMARKS.md && grep -qxF "<!-- end of $name -->" docs/BENCHMARKS.md ||
    { echo "docs/BENCHMARKS.md has no place for \`$name\`: put its two markers back" >&2; return 1; }
  new=$(mktemp)
  awk -v name="$name" -v table="$table" '
    $0 == "<!-- end of " name " -->" { inside = 0 }
    !inside { print }
    $0 == "<!-- " name " -->" { inside = 1; while ((getline line < table) > 0) print line }
  ' docs/BENCHMARKS.md > "$new"
  cat "$new" > docs/BENCHMARKS.md
  rm "$new"
}
