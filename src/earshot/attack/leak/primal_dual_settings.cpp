#include "earshot/attack/leak/primal_dual_settings.hpp"

#include <string>

#include "earshot/core/error.hpp"

namespace earshot {

std::vector<Parameter> primal_dual_parameters() {
  return {
      choice_parameter("form", "best", {"best", "difference", "published"},
                       "pdmm, admm: gradients where they show and one-round differences elsewhere, those "
                       "differences only, or differences over two rounds by models (Yu 2026)"),
      choice_parameter("anchor", "links", {"links", "last"},
                       "pdmm, admm: models from what members know, or walked back from a member's last one "
                       "(Yu 2026)"),
      boolean_parameter("exact_rule", false, "pdmm, admm: take every local update for an exact one"),
      optional(
          above_minimum(real_parameter("step_guess", {}, 0, 1e6,
                                       "pdmm, admm: alpha or mu the attacker assumes, instead of what is "
                                       "public"))),
      boolean_parameter("fit_step", false,
                        "pdmm, admm: find alpha or mu from several rounds of victims with one record"),
      choice_parameter("links", "all", {"all", "one"},
                       "pdmm, admm: average over all links of a victim, or read one"),
      integer_parameter("leaks", 1, 1, 1'000'000, "pdmm, admm: consecutive rounds attacked, one by one"),
      boolean_parameter("together", false,
                        "pdmm, admm: those rounds added up to one observation in which noise averages out"),
      integer_parameter("until", 0, 0, 1'000'000'000,
                        "pdmm, admm: rounds the adversary listens; 0: all recorded")};
}

PrimalDualLeakOptions primal_dual_options(const Settings& recipe, const Architecture* architecture) {
  PrimalDualLeakOptions options;
  if (recipe.has("round")) options.round = recipe.size("round");
  if (recipe.has("victims")) options.victims = recipe.size("victims");
  if (!recipe.has("form")) return options;
  const std::string form = recipe.text("form");
  options.form = form == "best"         ? DualForm::kBest
                 : form == "difference" ? DualForm::kDifference
                                        : DualForm::kPublished;
  options.anchor = recipe.text("anchor") == "last" ? ModelAnchor::kLast : ModelAnchor::kLinks;
  options.exact_rule = recipe.boolean("exact_rule");
  if (recipe.has("step_guess")) options.step = recipe.real("step_guess");
  if (recipe.boolean("fit_step")) {
    if (architecture == nullptr)
      fail(Fault::kConfig, "attack.fit_step: a step can be fitted only if the network's layers are known");
    options.fit_step = architecture;
  }
  options.links = recipe.text("links") == "all" ? Links::kAll : Links::kOne;
  options.rounds = recipe.size("leaks");
  options.together = recipe.boolean("together");
  options.until = recipe.size("until");
  return options;
}

}  // namespace earshot
