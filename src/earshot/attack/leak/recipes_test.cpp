#include "earshot/attack/leak/recipes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

using ::testing::ElementsAre;

TEST(Recipes, AreThoseOfTheDocumentation) {
  std::vector<std::string> names;
  for (const AttackRecipe& recipe : attack_recipes()) names.push_back(recipe.schema.name);
  EXPECT_THAT(names, ElementsAre("dlg", "idlg", "inverting-gradients", "pdmm-difference", "dgd+inversion",
                                 "fedavg-inversion", "tableak", "closed-form"));
  EXPECT_EQ(find_attack_recipe("no such attack"), nullptr);
}

AttackOptions options_of(const char* name, const Json& given = Json::object()) {
  return attack_options(valid_settings(find_attack_recipe(name)->schema, given, "attack."));
}

TEST(Recipes, DefaultsAreThoseOfTheirPapers) {
  EXPECT_EQ(options_of("dlg").labels, LabelSource::kOptimised);
  EXPECT_EQ(options_of("idlg").labels, LabelSource::kInferred);
  EXPECT_EQ(options_of("pdmm-difference").labels, LabelSource::kTraversed);
  EXPECT_FALSE(options_of("closed-form").search);
  const AttackOptions geiping = options_of("inverting-gradients");
  EXPECT_EQ(geiping.inversion.matching.kind, MatchingKind::kCosine);
  EXPECT_GT(geiping.inversion.prior.total_variation, 0);
  EXPECT_TRUE(geiping.in_range);
  const auto* adam = std::get_if<FirstOrderOptions>(&geiping.inversion.descent);
  ASSERT_NE(adam, nullptr);
  EXPECT_TRUE(adam->signs);
}

TEST(Recipes, EverySettingArrives) {
  const AttackOptions options = options_of("dlg", {{"labels", "traversed"},
                                                   {"matching", "laplace"},
                                                   {"total_variation", 0.5},
                                                   {"moments_weight", 2},
                                                   {"in_range", true},
                                                   {"optimiser", "gradient"},
                                                   {"iterations", 7},
                                                   {"rate", 0.3},
                                                   {"signs", true},
                                                   {"decay", false},
                                                   {"start", "public"},
                                                   {"restarts", 9},
                                                   {"precision", "float32"},
                                                   {"closed_forms", false},
                                                   {"tolerance", 0.01}});
  EXPECT_EQ(options.labels, LabelSource::kTraversed);
  EXPECT_EQ(options.inversion.matching.kind, MatchingKind::kLaplace);
  EXPECT_EQ(options.inversion.prior.total_variation, 0.5);
  EXPECT_EQ(options.moments_weight, 2);
  EXPECT_TRUE(options.in_range);
  const auto& descent = std::get<FirstOrderOptions>(options.inversion.descent);
  EXPECT_EQ(descent.rule, StepRule::kGradient);
  EXPECT_EQ(descent.iterations, 7U);
  EXPECT_EQ(descent.rate, 0.3);
  EXPECT_TRUE(descent.signs);
  EXPECT_FALSE(descent.decay);
  EXPECT_EQ(options.inversion.start, Start::kGiven);
  EXPECT_EQ(options.inversion.restarts, 9U);
  EXPECT_TRUE(options.inversion.single_precision);
  EXPECT_FALSE(options.closed_forms);
  EXPECT_EQ(options.tolerance, 0.01);
  EXPECT_THAT(options_of("dlg", {{"layer_weights", "1, 0.5 ,0"}}).layer_weights, ElementsAre(1, 0.5, 0));
  for (const char* nonsense : {"", "1,", "a", "-1", "1 2", "nan"})
    EXPECT_THROW(options_of("dlg", {{"layer_weights", nonsense}}), Error) << nonsense;
  const auto lbfgs = options_of("idlg", {{"iterations", 11}, {"history", 12}, {"target", 1e-3}});
  const auto& memory = std::get<LbfgsOptions>(lbfgs.inversion.descent);
  EXPECT_EQ(memory.iterations, 11U);
  EXPECT_EQ(memory.history, 12U);
  EXPECT_EQ(memory.target, 1e-3);
}

}  // namespace
}  // namespace earshot
