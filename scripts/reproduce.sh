#!/usr/bin/env bash
# Runs every recipe of experiments/ and writes docs/reproduction.md: published against measured, with command, seed and
# duration. Needs MNIST, CIFAR-10, facebook-ego, household-power, real-estate-valuation and wdbc in EARSHOT_DATA and a built
# program (make build).
#
#   scripts/reproduce.sh [OUTPUT-DIRECTORY]        # default: runs/reproduction; finished recipes are reused
set -euo pipefail
cd "$(dirname "$0")/.."
readonly out="${1:-runs/reproduction}"
readonly page=docs/reproduction.md
recipes=(worked_example er_sweep er_saturated facebook_ego facebook_ego_rounds centrality_er centrality_ego
         florentine_dgd line_dgd dgd_noise household_ldp real_estate_ldp real_estate_training wdbc_ldp)
for recipe in "${recipes[@]}"; do
  echo "reproduce: $recipe"
  build/earshot run "experiments/$recipe.toml" --out "$out/$recipe" > /dev/null
done
{
  cat docs/reproduction.head.md
  for recipe in "${recipes[@]}"; do
    echo
    cat "$out/$recipe/report.md"
  done
} > "$page.tmp"
mv "$page.tmp" "$page"
echo "reproduce: wrote $page"
