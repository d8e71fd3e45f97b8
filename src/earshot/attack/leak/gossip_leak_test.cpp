#include "earshot/attack/leak/gossip_leak.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/attack/leak/recipes.hpp"
#include "earshot/attack/leak/step_leak_oracle.hpp"
#include "earshot/core/error.hpp"

namespace earshot {
namespace {

using ::testing::HasSubstr;
using testing::SmallTask;

/// D-GD on a line whose first node listens.
class OverheardLine {
 public:
  OverheardLine(const SmallTask& small, const Json& given, Round rounds, Round from = 0)
      : matrix_(metropolis_weights(line(small.shards.size()))),
        run_(small, "dgd", given, no_protection(), {{0}, {}, {}}, rounds, told(), from) {}
  const View& view() const { return run_.view(); }

 private:
  static Graph line(std::size_t nodes) {
    std::vector<Edge> edges;
    for (NodeId i = 0; i + 1 < nodes; ++i) edges.emplace_back(i, i + 1);
    return Graph(nodes, edges);
  }
  PublicKnowledge told() const {
    PublicKnowledge told;
    told.gossip_matrix = &matrix_;
    return told;
  }
  GossipMatrix matrix_;
  testing::OverheardSteps run_;
};

GossipLeakOptions estimates_only() {
  GossipLeakOptions options;
  options.exact_steps = false;
  return options;
}

TEST(GossipLeak, GradientsOfAWholeLineAreThoseOfTheRecords) {
  const SmallTask small(5, 1);
  const OverheardLine run(small, {{"rounds", 5}, {"learning_rate", 1e-6}}, 5);
  const auto leaks = gossip_leaks(run.view(), small.start.size(), estimates_only());
  ASSERT_EQ(leaks.size(), 4U);
  for (const Leak& leak : leaks) {
    EXPECT_THAT(leak.what, HasSubstr("determined"));
    std::vector<double> expected(small.start.size());
    std::vector<double> state = small.start;
    small.task->gradient(state, {small.shards[leak.victim]}, expected);
    // The gradient moves a little while it is observed, and 1 / learning rate magnifies rounding.
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_NEAR(leak.observation.values[i], expected[i], 1e-4) << leak.victim;
  }
}

TEST(GossipLeak, WhoeverIsNotFullyHeardIsEstimated) {
  const SmallTask small(5, 1);
  const OverheardLine run(small, {{"rounds", 5}, {"learning_rate", 1e-6}}, 5);
  const auto leaks = find_leaks(run.view(), small.start.size(), Settings());
  const auto estimates = gossip_leaks(run.view(), small.start.size(), estimates_only());
  ASSERT_EQ(leaks.size(), 4U);
  EXPECT_EQ(leaks[0].victim, 1U);
  EXPECT_EQ(leaks[0].rounds, 1U);
  EXPECT_THAT(leaks[0].what, HasSubstr("from the common start"));
  EXPECT_NE(leaks[0].observation.values, estimates[0].observation.values);
  for (std::size_t i = 1; i < leaks.size(); ++i) {
    EXPECT_EQ(leaks[i].victim, i + 1);
    EXPECT_THAT(leaks[i].what, HasSubstr("determined by the messages of 5 rounds"));
    EXPECT_EQ(leaks[i].observation.values, estimates[i].observation.values);
  }
}

TEST(GossipLeak, APlanCanAskForThePublishedEstimateOnly) {
  const SmallTask small(5, 1);
  const OverheardLine run(small, {{"rounds", 5}, {"learning_rate", 1e-6}}, 5);
  const Schema& schema = find_attack_recipe("dgd+inversion")->schema;
  const Settings published = valid_settings(schema, {{"exact_steps", false}}, "attack.");
  for (const Leak& leak : find_leaks(run.view(), small.start.size(), published))
    EXPECT_THAT(leak.what, HasSubstr("5 rounds of gossip"));
  const auto leaks =
      find_leaks(run.view(), small.start.size(), valid_settings(schema, Json::object(), "attack."));
  EXPECT_THAT(leaks[0].what, HasSubstr("step of the node"));
}

/// Large steps change gradients from round to round, which an estimate takes for noise.
TEST(GossipLeak, AnExactStepDoesNotMindLargeSteps) {
  const SmallTask small(5, 1);
  const OverheardLine run(small, {{"rounds", 5}, {"learning_rate", 1}}, 5);
  std::vector<double> gradient(small.start.size());
  std::vector<double> state = small.start;
  small.task->gradient(state, {small.shards[1]}, gradient);
  const auto error = [&](const Leak& leak) {
    double worst = 0;
    for (std::size_t i = 0; i < gradient.size(); ++i)
      worst = std::max(worst, std::abs(leak.observation.values[i] - gradient[i]));
    return worst;
  };
  EXPECT_LT(error(gossip_leaks(run.view(), small.start.size(), {})[0]), 1e-14);
  EXPECT_GT(error(gossip_leaks(run.view(), small.start.size(), estimates_only())[0]), 1e-4);
}

TEST(GossipLeak, ReadsStepsWhereNothingCanBeEstimated) {
  const SmallTask small(3, 1);
  const auto exact = [&](const OverheardLine& run, const GossipLeakOptions& options = {}) {
    return gossip_leaks(run.view(), small.start.size(), options);
  };
  // Node 1 is heard, node 2 is not.
  const auto twice = exact(OverheardLine(small, {{"rounds", 2}, {"gossip_steps", 2}}, 2));
  ASSERT_EQ(twice.size(), 1U);
  EXPECT_EQ(twice[0].victim, 1U);
  GossipLeakOptions named;
  named.rounds = {1};
  EXPECT_EQ(exact(OverheardLine(small, {{"rounds", 2}}, 2), named).size(), 1U);
  EXPECT_THROW(exact(OverheardLine(small, {{"rounds", 3}}, 3, 1)), Error);
  // Nobody is behind the far end of two nodes.
  const SmallTask two(2, 1);
  const auto late = gossip_leaks(OverheardLine(two, {{"rounds", 3}}, 3, 1).view(), two.start.size(), {});
  ASSERT_EQ(late.size(), 1U);
  EXPECT_EQ(late[0].round, 3U);
}

TEST(GossipLeak, SaysWhatItCannotRead) {
  const SmallTask small(4, 1);
  const OverheardLine twice(small, {{"rounds", 2}, {"gossip_steps", 2}}, 2);
  try {
    gossip_leaks(twice.view(), small.start.size(), estimates_only());
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("one averaging a round"));
  }
}

TEST(Leaks, KnowsWhichProtocolsItCanRead) {
  EXPECT_EQ(leak_source("fedavg"), LeakSource::kFederated);
  EXPECT_EQ(leak_source("admm"), LeakSource::kPrimalDual);
  EXPECT_EQ(leak_source("dgd"), LeakSource::kGossip);
  EXPECT_EQ(leak_source("d_psgd"), LeakSource::kGossipSteps);
  EXPECT_FALSE(leak_source("central"));
}

TEST(Leaks, PublicNoiseIsThatOnTheNumbersOfTheLeak) {
  PublicKnowledge told;
  told.protocol = {{"kind", "fedsgd"}, {"records", {10, 20}}, {"batch", 5}};
  Leak leak;
  leak.victim = 1;
  EXPECT_EQ(public_noise_scale(told, leak), 0);
  told.protocol["noise"] = {{"law", "gaussian"}, {"deviation", 2.0}, {"on", "sum"}};
  EXPECT_DOUBLE_EQ(public_noise_scale(told, leak), 0.4);
  told.protocol["noise"]["on"] = "mean";
  EXPECT_DOUBLE_EQ(public_noise_scale(told, leak), 2);
  for (const char* law : {"laplace", "concentrated_laplace"}) {
    told.protocol["noise"]["law"] = law;
    EXPECT_DOUBLE_EQ(public_noise_scale(told, leak), std::sqrt(2.0)) << law;
  }
  leak.cell = 0.25;
  EXPECT_EQ(public_noise_scale(told, leak), 0.25);
}

}  // namespace
}  // namespace earshot
