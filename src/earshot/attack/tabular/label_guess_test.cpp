#include "earshot/attack/tabular/label_guess.hpp"

#include <numeric>

#include <gmock/gmock.h>

#include "earshot/attack/tabular/test_victim.hpp"

namespace earshot {
namespace {

std::vector<std::size_t> counts_of(std::span<const double> targets) {
  std::vector<std::size_t> counts(2);
  for (std::size_t i = 0; i < targets.size(); ++i) counts[i % 2] += targets[i] == 1;
  return counts;
}

/// One class after the other in every share; the network is fresh, so its predictions differ little.
TEST(LabelGuess, CountsTheClassesOfABatch) {
  std::size_t wrong = 0;
  for (std::size_t first = 0; first < 40; ++first) {
    Victim victim(CategoryEncoding::kOneHot, first, 8);
    for (std::size_t r = 0; r < 8; ++r) {
      victim.targets[2 * r] = r < first % 9 ? 1 : 0;
      victim.targets[2 * r + 1] = 1 - victim.targets[2 * r];
    }
    const auto guessed = guessed_targets(victim.net, *victim.model, victim.encoder, victim.observation());
    ASSERT_TRUE(guessed.has_value());
    wrong += counts_of(*guessed) == counts_of(victim.targets) ? 0 : 1;
  }
  EXPECT_LE(wrong, 4u) << "of 40";
}

TEST(LabelGuess, RowsAreFoundWithoutLabels) {
  const Victim victim(CategoryEncoding::kOneHot, 4, 2);
  TabLeakOptions options = victim.options();
  options.targets = guessed_targets(victim.net, *victim.model, victim.encoder, victim.observation()).value();
  EXPECT_GE(victim.accuracy(tableak(*victim.model, victim.encoder, victim.observation(), options)), 0.9);
}

TEST(LabelGuess, ALocalStepTellsTheSameAsItsGradient) {
  const Victim victim(CategoryEncoding::kOneHot, 9, 4);
  const LocalTraining training{1, 4, 0.05};
  auto change = victim.gradient_at(victim.parameters);
  for (double& x : change) x *= training.rate;
  const auto guess = [&](const Observation& observation) {
    return guessed_targets(victim.net, *victim.model, victim.encoder, observation);
  };
  EXPECT_EQ(guess(observe_update(victim.parameters, change, 4, training)), guess(victim.observation()));
}

}  // namespace
}  // namespace earshot
