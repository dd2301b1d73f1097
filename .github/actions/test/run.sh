#!/usr/bin/env bash
# Runs the scenario files that FILES names, and writes the results to the files JUNIT and SARIF, if they are set. It runs in the
# folder from which these names count, and builds `lanes` from the repository that contains this script, unless LANES names the
# program.
set -euo pipefail

here=$(cd "$(dirname "$0")/../../.." && pwd)
if [ -z "${FILES:-}" ]; then
  echo "name the scenario files in FILES, as in FILES='tests/*.toml'" >&2
  exit 2
fi
lanes=${LANES:-}
if [ -z "$lanes" ]; then
  target=${CARGO_TARGET_DIR:-$here/target}
  cargo build --quiet --locked --manifest-path "$here/Cargo.toml" --package lanes --target-dir "$target"
  lanes=$target/debug/lanes
fi

# The names are separated by blanks, and may be patterns.
# shellcheck disable=SC2206
files=($FILES)
status=0
# Everything that was asked for is written, whether tests fail or not; a file that cannot be run ends with 2.
run() {
  local code=0
  # A name that begins with a hyphen is a file too, and no option.
  "$lanes" test "$@" -- "${files[@]}" || code=$?
  if [ "$code" -gt "$status" ]; then status=$code; fi
}
run
if [ "$status" -lt 2 ]; then
  if [ -n "${JUNIT:-}" ]; then run --format junit >"$JUNIT"; fi
  if [ -n "${SARIF:-}" ]; then run --format sarif >"$SARIF"; fi
fi
exit "$status"
