#include "earshot/pipeline/topology_epsilon.hpp"

#include <gtest/gtest.h>

#include "earshot/accounting/topology_accounting.hpp"
#include "earshot/pipeline/test_training.hpp"

namespace earshot {
namespace {

constexpr const char* kNoise = "kind = \"gaussian\"\nclip = 1.0\nsigma = 2.0\ndelta = 1e-6\n";

std::optional<double> epsilon_of(const testing::Wanted& wanted, std::uint64_t rounds) {
  const testing::Setting setting(wanted);
  const auto trial = setting.trial();
  return topology_epsilon(setting.plan.cells[0], trial->protocol(), trial->task().parameter_count(), rounds);
}

TEST(TopologyEpsilon, IsThatOfTheAccountantOfEachTopology) {
  EXPECT_DOUBLE_EQ(*epsilon_of({"fedsgd", kNoise, "", 9}, 4), central_epsilon({2, 1, 4}, 1e-6, false));
  const std::string skipping = "latency = \"exponential\"\nskip_probability = 0.25\n";
  EXPECT_DOUBLE_EQ(*epsilon_of({"skip_ring", kNoise, skipping, 9}, 4),
                   skip_ring_epsilon({2, 1, 20, 5, 0.25}, 1e-6, 1e-6, false));
  const std::string edges = "edge_probability = 0.5\ngossip_steps = 3\n";
  EXPECT_DOUBLE_EQ(*epsilon_of({"muffliato_random", kNoise, edges, 9}, 4),
                   random_gossip_epsilon({2, 1, 4, 5, 0.5, 3}, 1e-6, false));
}

TEST(TopologyEpsilon, OfAServerIsWhatTheLedgersSay) {
  const testing::Setting setting({"fedsgd", kNoise, "", 3});
  const auto trial = setting.trial();
  testing::finish(*trial);
  const double spent = trial->run().epsilons()[0].value();
  const double stated =
      topology_epsilon(setting.plan.cells[0], trial->protocol(), trial->task().parameter_count(), 3).value();
  EXPECT_LE(stated, spent);  // the exact composition, never above what any accountant states
  EXPECT_GT(stated, 0.5 * spent);
}

TEST(TopologyEpsilon, NoneWithoutAnAccountantForIt) {
  EXPECT_FALSE(epsilon_of({"fedsgd"}, 1));
  EXPECT_FALSE(epsilon_of({"dgd", kNoise}, 1));
  EXPECT_FALSE(epsilon_of({"fedsgd", "kind = \"dp_sgd\"\nclip = 1.0\nnoise_multiplier = 2.0\n"}, 1));
}

}  // namespace
}  // namespace earshot
