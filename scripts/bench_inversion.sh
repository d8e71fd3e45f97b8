#!/usr/bin/env bash
# Times our gradient inversion against double backward in PyTorch on one thread each; a built bench (make bench-inversion builds
# it) is needed. With the argument "tableak", optionally followed by how many members PyTorch searches: TabLeak (make bench-tableak). Installs Debian's python3-torch if it is missing: nothing else in the project uses it.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly python=/usr/bin/python3  # Debian's own, whose packages apt installs
if ! "$python" -c 'import torch' 2> /dev/null; then
  as_root=()
  [ "$(id -u)" -eq 0 ] || as_root=(sudo)
  echo "bench_inversion: installing python3-torch"
  "${as_root[@]}" apt-get update -q > /dev/null
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends python3-torch > /dev/null
fi

problems="$(mktemp -d)"
trap 'rm -rf "$problems"' EXIT
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1
if [ "${1:-}" = tableak ]; then
  "$python" bench/compare_tableak.py build/release/bench/tableak_bench "$problems" ${2:+"$2"}
  exit
fi
"$python" bench/compare_inversion.py build/release/bench/inversion_bench "$problems"
build/release/bench/inversion_bench --benchmark_filter='restarts'
