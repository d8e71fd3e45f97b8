#!/usr/bin/env bash
# Installs the Debian packages of scripts/packages.txt that are missing, and npm unless there is one. Does nothing, and
# needs no rights, when everything is there; uses sudo only when not root; never asks a question.
set -euo pipefail
cd "$(dirname "$0")"

die() {
  echo "setup: $*" >&2
  exit 1
}

{ command -v dpkg-query && command -v apt-get; } > /dev/null ||
  die "this is not a Debian system; install what scripts/packages.txt lists, and npm, by other means"

installed() {
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2> /dev/null)" = installed ]
}

missing=()
while read -r package _; do
  case "$package" in '' | '#'*) continue ;; esac
  installed "$package" || missing+=("$package")
done < packages.txt
# npm may have come from elsewhere than Debian.
command -v npm > /dev/null || missing+=(nodejs npm ca-certificates)

if [ ${#missing[@]} -eq 0 ]; then
  echo "setup: all packages are installed"
  exit 0
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo > /dev/null || die "not root and no sudo; as root run: apt-get install ${missing[*]}"
  as_root=(sudo)
fi
echo "setup: installing ${missing[*]}"
"${as_root[@]}" apt-get update -q || die "apt-get update failed"
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}" ||
  die "apt-get install failed for: ${missing[*]}"
