#!/usr/bin/env bash
# Runs every fuzz target of build/asan for SECONDS (default 60), two at a time; fails if any of them finds something.
#
#   scripts/fuzz.sh [SECONDS]
#
# Samples in tests/corpus/TOPIC are seeds and never written to; what the fuzzer learns goes to build/fuzz/corpus, and
# an input that breaks a parser to build/fuzz/artifacts. A parser hangs when one input takes it 25 s: wall-clock time, so
# a busy machine must not look like a hang.
set -euo pipefail
cd "$(dirname "$0")/.."
readonly seconds="${1:-60}"
readonly artifacts=build/fuzz/artifacts
[[ "$seconds" =~ ^[1-9][0-9]*$ ]] || { echo "fuzz: SECONDS must be a positive whole number, got \"$seconds\"" >&2; exit 2; }

run_target() {
  local target="$1" seconds="$2" artifacts="$3"
  local topic="${target##*/fuzz_}"
  local learnt="build/fuzz/corpus/$topic" seeds="tests/corpus/$topic" log="$artifacts/$topic.log"
  local corpora=("$learnt")
  mkdir -p "$learnt"
  [ -d "$seeds" ] && corpora+=("$seeds")
  if "$target" -max_total_time="$seconds" -max_len=16384 -timeout=25 -rss_limit_mb=2048 -print_final_stats=1 \
    -verbosity=1 -artifact_prefix="$artifacts/$topic-" "${corpora[@]}" > "$log" 2>&1; then
    echo "fuzz: $topic ok, $(awk '/number_of_executed_units/ { print $2 }' "$log") inputs in $seconds s"
  else
    echo "fuzz: $topic FAILED; the input is in $artifacts, the end of $log:" >&2
    tail -n 40 "$log" >&2
    return 1
  fi
}
export -f run_target

mkdir -p "$artifacts"
mapfile -t targets < <(find build/asan/tests/fuzz -maxdepth 1 -type f -name 'fuzz_*' -perm -u+x | sort)
[ ${#targets[@]} -gt 0 ] || { echo "fuzz: no targets in build/asan; run: make fuzz" >&2; exit 2; }
printf '%s\0' "${targets[@]}" |
  xargs -0 -P 2 -I{} bash -c 'run_target "$@"' run_target {} "$seconds" "$artifacts" ||
  { echo "fuzz: findings, see above" >&2; exit 1; }
echo "fuzz: ${#targets[@]} targets, no finding"
