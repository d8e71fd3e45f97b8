#!/usr/bin/env bash
# Runs recipes of experiments/ and writes down published against measured values, with command, seed and duration: a page per
# recipe in docs/reproduction/, and docs/reproduction.md, which is docs/reproduction.head.md and a table of those pages. A recipe can be
# run alone; the pages of the others stay as they are. Needs a built program (make build) and, for all recipes, MNIST, CIFAR-10,
# adult, aptos2019, digits, facebook-ego, german-credit, gowalla, household-power, insurance, lawschool, real-estate-valuation, squeezenet and wdbc in EARSHOT_DATA.
#
#   scripts/reproduce.sh [--out DIRECTORY] [RECIPE...]     # default: runs/reproduction, all; finished recipes are reused
set -euo pipefail
cd "$(dirname "$0")/.."
readonly page=docs/reproduction.md
readonly all=(worked_example er_sweep er_saturated facebook_ego facebook_ego_rounds centrality_er centrality_ego
              florentine_dgd line_dgd dgd_noise household_ldp real_estate_ldp real_estate_training wdbc_ldp
              adult_protocols decentralised_adult federated_adult federated_digits pdmm_convergence pdmm_asynchronous
              pdmm_quadratic pdmm_quantised pdmm_closed_form pdmm_early_stopping pdmm_quantised_leak pdmm_inexact_leak
              pdmm_inexact_images pdmm_batches pdmm_batches_released pdmm_batch_closed_form
              pdmm_adversaries pdmm_start_time pdmm_defences pdmm_unlike_nodes
              fedavg_closed_form fedavg_inversion train_digits adult_topologies adult_encodings gradient_theory attack_digits attack_insurance
              tableak_encodings tableak_code_draws tableak_trainings tableak_muffliato tableak_muffliato_noise tableak_codes tableak_epsilon
              tableak_iterations tableak_batch tableak_skipping tableak_architecture tableak_epoch tableak_dataset
              dlg_cifar10 line_dgd_cnn dlg_noise dlg_compression retina_drift retina_inversion retina_squeezenet
              privic_paris privic_san_francisco privic_variants privic_beta location_mechanisms location_island)
out=runs/reproduction
if [ "${1:-}" = --out ]; then
  out="${2:?reproduce: --out needs a directory}"
  shift 2
fi
recipes=("$@")
[ $# -gt 0 ] || recipes=("${all[@]}")
for recipe in "${recipes[@]}"; do
  case " ${all[*]} " in *" $recipe "*) ;; *)
    echo "reproduce: no recipe \"$recipe\"; there are ${all[*]}" >&2
    exit 2 ;;
  esac
done

mkdir -p docs/reproduction
for recipe in "${recipes[@]}"; do
  echo "reproduce: $recipe"
  build/earshot run "experiments/$recipe.toml" --out "$out/$recipe" > /dev/null
  cp "$out/$recipe/report.md" "docs/reproduction/$recipe.md"
done

# One line of the table: title, how many published values are met, computing time.
row() {
  local file="docs/reproduction/$1.md" title met duration
  title="$(sed -n '1s/^# //p' "$file")"
  met="$(sed -nE 's/(^|.* )([0-9]+ of [0-9]+) published values.*/\2/p' "$file" | head -n 1)"
  duration="$(sed -n 's/^seed .* trials\{0,1\}, \(.*\), earshot .*/\1/p' "$file" | head -n 1)"
  echo "| [$title](reproduction/$1.md) | \`$1\` | ${met:-–} | $duration |"
}
{
  cat docs/reproduction.head.md
  echo
  echo "## Recipes"
  echo
  echo "| | recipe | values met | computing time |"
  echo "|---|---|---:|---:|"
  for recipe in "${all[@]}"; do
    if [ -f "docs/reproduction/$recipe.md" ]; then row "$recipe"; else echo "reproduce: $recipe has not been run" >&2; fi
  done
} > "$page.tmp"
mv "$page.tmp" "$page"
echo "reproduce: wrote $page"
