#include "earshot/attack/leak/recipes.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include "earshot/attack/gossip/gossip_attack.hpp"
#include "earshot/attack/leak/primal_dual_settings.hpp"
#include "earshot/core/error.hpp"

namespace earshot {
namespace {

template <std::size_t n>
std::vector<std::string> all(const std::array<std::string_view, n>& names) {
  return {names.begin(), names.end()};
}

template <class Value, std::size_t n>
Value named(const std::array<std::string_view, n>& names, const std::string& name) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) fail(Fault::kInternal, "no such choice: " + name);
  return static_cast<Value>(found - names.begin());
}

std::vector<Parameter> operator+(std::vector<Parameter> first, std::vector<Parameter> second) {
  std::ranges::move(second, std::back_inserter(first));
  return first;
}

std::vector<Parameter> target_parameters() {
  return {
      optional(integer_parameter("round", {}, 1, 1'000'000'000,
                                 "of training, whose messages are attacked; absent: the first that says "
                                 "something")),
      integer_parameter("victims", 0, 0, 1'000'000'000, "attack so many at most, in their order; 0: all"),
      real_parameter("success_psnr", 20, -100, 150, "dB above which a picture counts as reconstructed"),
      above_minimum(real_parameter("success_error", 0.05, 0, 1e6,
                                   "relative error below which a record that is no picture does")),
      boolean_parameter("all_metrics", false, "also MS-SSIM, FSIM and the PSNR of gradients"),
      optional(text_parameter("perceptual", {},
                              "TorchScript file that says how different two pictures look, such as LPIPS"))};
}

std::vector<Parameter> closed_parameters() {
  return {above_minimum(real_parameter("tolerance", 1e-6, 0, 1,
                                       "relative residual below which a closed form counts as exact"))};
}

std::vector<Parameter> gossip_parameters() {
  return estimator_parameters() +
         std::vector<Parameter>{boolean_parameter(
             "exact_steps", true,
             "where a node's step shows exactly it is read, and only the others' gradients are estimated; "
             "false: all are, as published")};
}

/// What distinguishes the searches.
struct Usual {
  std::string labels;
  std::string matching;
  double total_variation = 0;
  std::string optimiser;
  std::int64_t iterations = 0;
  double rate = 1;
  bool signs = false;
  bool in_range = false;
  std::int64_t restarts = 1;
};

std::vector<Parameter> search_parameters(const Usual& usual) {
  return {
      boolean_parameter("closed_forms", true, "try exact ways before the search"),
      choice_parameter("labels", usual.labels, all(kLabelSourceNames),
                       "where the attacker has the labels from"),
      choice_parameter("matching", usual.matching, all(kMatchingNames),
                       "distance between what a guess would send and what was heard"),
      optional(text_parameter("layer_weights", {},
                              "of the matching, one number per layer with parameters: \"1, 0.5, 0\"")),
      optional(real_parameter("noise_scale", {}, 0, 1e300,
                              "of the noise or the quantiser's cell, for the matchings that use it; absent: "
                              "what is public")),
      boolean_parameter("leave_out_pruned", true,
                        "numbers that a sender pruned are not matched; false: they are taken for zeros"),
      real_parameter("total_variation", usual.total_variation, 0, 1e6, "weight of smoothness; pictures only"),
      real_parameter("moments_weight", 0, 0, 1e6, "weight of the mean and deviation public records have"),
      boolean_parameter("in_range", usual.in_range, "keep to the range of public records; not with lbfgs"),
      choice_parameter("optimiser", usual.optimiser, {"lbfgs", "adam", "gradient"},
                       "how the search descends"),
      integer_parameter("iterations", usual.iterations, 1, 100'000'000, "at most, of every restart"),
      above_minimum(real_parameter("rate", usual.rate, 0, 1e6, "step size; adam and gradient only")),
      boolean_parameter("signs", usual.signs, "step by the sign of the derivatives; adam and gradient only"),
      boolean_parameter("decay", true, "the rate falls three times to a tenth; adam and gradient only"),
      integer_parameter("history", 100, 1, 10'000, "steps lbfgs remembers"),
      real_parameter("target", 1e-12, 0, 1e300, "a search ends where the objective is not above it"),
      choice_parameter("start", "normal", {"normal", "uniform", "middle", "public", "original"},
                       "random numbers, the middle of the range, a public record of the same class, or the "
                       "original itself: no attack, but shows what starting there fakes"),
      integer_parameter("restarts", usual.restarts, 1, 100'000,
                        "searches from different starts, all at once"),
      boolean_parameter("racing", true,
                        "of more than four searches the worse half ends after 1/16, 1/8, 1/4 and 1/2 of "
                        "the iterations, and all once one is at the target"),
      choice_parameter("precision", "float64", {"float64", "float32"}, "of the search")};
}

Schema search_recipe(std::string name, std::string summary, std::string reference, const Usual& usual,
                     std::vector<Parameter> more = {}) {
  return {"attack", std::move(name), std::move(summary), std::move(reference),
          target_parameters() + std::move(more) + search_parameters(usual) + closed_parameters()};
}

Usual dlg_usual(std::string labels) {
  return {std::move(labels), "squared", 0, "lbfgs", 3000, 1, false, false, 4};
}
Usual geiping_usual() {
  return {"inferred", "cosine", 1e-2, "adam", 2400, 0.1, true, true, 4};
}

/// The defaults are those of the authors' code.
Schema tableak_recipe() {
  return {
      "attack",
      "tableak",
      "rows of a table from the gradient of a batch, by an ensemble of searches over relaxed cells",
      "Vero, Balunovic, Dimitrov & Vechev 2023, TabLeak",
      {text_parameter("rounds", "last", "of training, that are attacked: such as \"1, 50, last\""),
       integer_parameter("victims", 20, 0, 1'000'000'000, "attack so many at most, in their order; 0: all"),
       choice_parameter("labels", "known", {"known", "inferred"},
                        "the labels of the batch are told, or counted from the last layer's gradient"),
       integer_parameter("members", 30, 1, 10'000, "searches in the ensemble"),
       integer_parameter("iterations", 1500, 1, 100'000'000, "of every search"),
       above_minimum(real_parameter("rate", 0.06, 0, 1e6, "step size of Adam on the signs")),
       choice_parameter("relaxation", "places", {"places", "softmax"},
                        "codes that are not one-hot: every place by itself, or their places as if they were"),
       integer_parameter("baseline_draws", 20, 1, 1'000'000,
                         "random tables that stand beside every reconstruction"),
       integer_parameter("rows_shown", 8, 0, 10'000,
                         "rows of the first trial shown beside what was reconstructed")}};
}

std::vector<AttackRecipe> make_recipes() {
  return {
      {search_recipe("dlg", "seeks records and soft labels whose gradient is the one heard",
                     "Zhu, Liu & Han 2019, Deep Leakage from Gradients", dlg_usual("optimised"))},
      {search_recipe("idlg", "reads the label off the last layer, then seeks the record",
                     "Zhao, Mopuri & Bilen 2020", dlg_usual("inferred"))},
      {search_recipe("inverting-gradients",
                     "matches the direction of the gradient by signed Adam steps, for smooth pictures",
                     "Geiping, Bauermeister, Droege & Moeller 2020", geiping_usual())},
      {search_recipe("pdmm-difference",
                     "reads differences of gradients off primal-dual messages and seeks the record behind "
                     "them, label by label",
                     "Yu 2026, section 5.4", {"traversed", "squared", 0, "lbfgs", 600, 1, false, false, 1},
                     primal_dual_parameters()),
       LeakSource::kPrimalDual},
      {search_recipe("dgd+inversion",
                     "reads local gradients off gossip, or recovers them by least squares, then matches "
                     "their direction",
                     "El Mrini, Cyffers & Bellet 2024, Algorithms 2 and 3; Geiping et al. 2020",
                     geiping_usual(), gossip_parameters()),
       LeakSource::kGossip},
      {search_recipe("fedavg-inversion",
                     "seeks the records whose local training changes the model as a client's did",
                     "Geiping, Bauermeister, Droege & Moeller 2020, section 6.2", geiping_usual(),
                     {boolean_parameter("unrolled", true,
                                        "follow every local step, or take the change for one gradient")}),
       LeakSource::kFederated},
      {tableak_recipe()},
      {{"attack", "closed-form",
        "records by exact formulas only, and by the ratio at the first layer under noise",
        "Phong et al. 2017; Biswas 2024, chapter 6; Yu 2026, section 5.2",
        target_parameters() + primal_dual_parameters() +
            std::vector<Parameter>{choice_parameter(
                "fit", "largest_bias", {"largest_bias", "rank_one"},
                "where nothing is exact: the row with the largest bias gradient, or all rows")} +
            closed_parameters()}}};
}

[[noreturn]] void refuse_weights() {
  fail(Fault::kConfig,
       "attack.layer_weights must be numbers that are not negative, with commas between them");
}

/// "1, 0.5, 0".
std::vector<double> weights(const std::string& text) {
  std::vector<double> values;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    at = std::find_if(at, end, [](char c) { return c != ' '; });
    const auto read = std::from_chars(at, end, values.emplace_back());
    if (read.ec != std::errc() || !(values.back() >= 0)) refuse_weights();
    at = std::find_if(read.ptr, end, [](char c) { return c != ' '; });
    if (at == end) return values;
    if (*at++ != ',') refuse_weights();
  }
}

DescentOptions descent_options(const Settings& settings) {
  const std::size_t iterations = settings.size("iterations");
  if (settings.text("optimiser") == "lbfgs")
    return LbfgsOptions{iterations, settings.size("history"), settings.real("target")};
  FirstOrderOptions options;
  options.rule = settings.text("optimiser") == "adam" ? StepRule::kAdam : StepRule::kGradient;
  options.iterations = iterations;
  options.rate = settings.real("rate");
  options.signs = settings.boolean("signs");
  options.decay = settings.boolean("decay");
  options.target = settings.real("target");
  return options;
}

Start start_of(const std::string& name) {
  const bool given = name == "public" || name == "original";
  return given ? Start::kGiven : named<Start>(kStartNames, name);
}

}  // namespace

std::span<const AttackRecipe> attack_recipes() {
  static const std::vector<AttackRecipe> recipes = make_recipes();
  return recipes;
}

const AttackRecipe* find_attack_recipe(std::string_view name) {
  const auto recipes = attack_recipes();
  const auto found =
      std::ranges::find_if(recipes, [&](const AttackRecipe& recipe) { return recipe.schema.name == name; });
  return found == recipes.end() ? nullptr : &*found;
}

AttackOptions attack_options(const Settings& settings) {
  AttackOptions options;
  options.tolerance = settings.real("tolerance");
  options.search = settings.has("optimiser");
  if (!options.search) {
    options.fit = settings.text("fit") == "rank_one" ? DenseFit::kRankOne : DenseFit::kLargestBias;
    return options;
  }
  options.closed_forms = settings.boolean("closed_forms");
  options.labels = named<LabelSource>(kLabelSourceNames, settings.text("labels"));
  options.in_range = settings.boolean("in_range");
  options.moments_weight = settings.real("moments_weight");
  if (settings.has("layer_weights")) options.layer_weights = weights(settings.text("layer_weights"));
  InversionOptions& search = options.inversion;
  search.matching.kind = named<MatchingKind>(kMatchingNames, settings.text("matching"));
  search.prior.total_variation = settings.real("total_variation");
  search.descent = descent_options(settings);
  search.restarts = settings.size("restarts");
  search.racing = settings.boolean("racing");
  search.start = start_of(settings.text("start"));
  search.single_precision = settings.text("precision") == "float32";
  return options;
}

}  // namespace earshot
