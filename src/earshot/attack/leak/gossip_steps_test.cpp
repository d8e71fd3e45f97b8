#include "earshot/attack/leak/gossip_steps.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/attack/leak/step_leak_oracle.hpp"
#include "earshot/protocol/decentralised.hpp"
#include "earshot/protocol/decentralised_oracle.hpp"

namespace earshot {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::OverheardSteps;
using testing::SmallTask;

constexpr std::size_t kNodes = 6;
constexpr double kRounding = 1e-10;  // differences of numbers near 1, over a rate of 0.1

Graph ring_of_six() {
  std::vector<Edge> edges;
  for (NodeId i = 0; i < kNodes; ++i) edges.emplace_back(i, (i + 1) % kNodes);
  return Graph(kNodes, edges);
}

double distance(std::span<const double> a, std::span<const double> b) {
  double square = 0;
  for (std::size_t i = 0; i < a.size(); ++i) square += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(square);
}

/// The gradient of the victim's records at its true state, both to nine digits.
void expect_exact(const SmallTask& small, const Leak& leak, const testing::MatrixForm& truth) {
  SCOPED_TRACE(fmt::format("node {}, round {}", leak.victim, leak.round));
  std::vector<double> state = truth.state(leak.victim);
  std::vector<double> gradient(state.size());
  small.task->gradient(state, {small.shards[leak.victim]}, gradient);
  const std::vector<double> zero(state.size());
  ASSERT_EQ(leak.observation.terms.size(), 1U);
  EXPECT_LE(distance(leak.observation.terms[0].parameters, state), 1e-9 * distance(state, zero));
  EXPECT_LE(distance(leak.observation.values, gradient), 1e-9 * distance(gradient, zero));
}

class Averaging : public ::testing::TestWithParam<std::tuple<std::string, Round>> {
 protected:
  const char* kind() const { return std::get<0>(GetParam()).c_str(); }
  Round gossip_steps() const { return std::get<1>(GetParam()); }
  Json settings() const { return {{"rounds", 4}, {"learning_rate", 0.1}, {"gossip_steps", gossip_steps()}}; }
  bool moves_first() const { return std::get<0>(GetParam()) == "dgd"; }
  /// The states when this round of training began.
  testing::MatrixForm states(const SmallTask& small, const GossipMatrix& weights, std::uint64_t round) const {
    testing::MatrixForm truth(
        small, moves_first() ? testing::Order::kAdaptFirst : testing::Order::kCombineFirst, 0.1);
    const std::vector<Eigen::MatrixXd> mixing(gossip_steps(), testing::dense(weights));
    for (std::uint64_t i = 1; i < round; ++i) truth.round(mixing);
    return truth;
  }
};

/// The oracle is matrices that never saw a message.
TEST_P(Averaging, ATappedNodeShowsItsGradientWithoutError) {
  const SmallTask small(kNodes);
  const GossipMatrix weights = metropolis_weights(ring_of_six());
  PublicKnowledge told;
  told.gossip_matrix = &weights;
  const OverheardSteps run(small, kind(), settings(), no_protection(), {{}, {1, 2, 3}, {}}, 4, told);
  const auto first = gossip_step_leaks(run.view(), small.start.size(), {{1}});
  ASSERT_EQ(first.size(), 3U);
  for (const Leak& leak : first) {
    EXPECT_THAT(leak.what, HasSubstr("from the common start: the gradient at the model it was computed at"));
    expect_exact(small, leak, states(small, weights, 1));
  }
  // Later on a node's state follows from all its neighbours only.
  const auto later = gossip_step_leaks(run.view(), small.start.size(), {{3}});
  ASSERT_EQ(later.size(), 1U);
  EXPECT_EQ(later[0].victim, 2U);
  EXPECT_THAT(later[0].what, HasSubstr("between two averagings: the gradient"));
  expect_exact(small, later[0], states(small, weights, 3));
  // What is done last is not said any more where nodes talk before they move.
  EXPECT_EQ(gossip_step_leaks(run.view(), small.start.size(), {{4}}).size(), moves_first() ? 1U : 0U);
}

TEST_P(Averaging, AViewOfOneRoundIsEnough) {
  const SmallTask small(kNodes);
  const GossipMatrix weights = metropolis_weights(ring_of_six());
  PublicKnowledge told;
  told.gossip_matrix = &weights;
  const OverheardSteps whole(small, kind(), settings(), no_protection(), {}, 4, told);
  const PublicKnowledge& facts = whole.view().told();
  const OverheardSteps part(small, kind(), settings(), no_protection(), testing::taps_on_all(small),
                            static_cast<Round>(heard_by_round(facts, 3)), told,
                            window_of_round(facts, 3).first);
  const auto leaks = gossip_step_leaks(part.view(), small.start.size(), {{3}});
  ASSERT_EQ(leaks.size(), kNodes);
  for (const Leak& leak : leaks) expect_exact(small, leak, states(small, weights, 3));
}

INSTANTIATE_TEST_SUITE_P(GossipSteps, Averaging,
                         ::testing::Combine(::testing::Values("dgd", "d_psgd"), ::testing::Values(1, 3)),
                         [](const auto& info) {
                           return fmt::format("{}_{}", std::get<0>(info.param), std::get<1>(info.param));
                         });

TEST(GossipSteps, StepsOnAFixedGraphAreWhatTheNodesReleased) {
  const SmallTask small(kNodes);
  const Protection noise = testing::clipped_noise(0.5);
  const GossipMatrix weights = metropolis_weights(ring_of_six());
  PublicKnowledge told;
  told.gossip_matrix = &weights;
  const OverheardSteps run(small, "muffliato", {{"rounds", 4}, {"batch", 2}}, noise,
                           testing::taps_on_all(small), 4, told);
  const auto leaks = gossip_step_leaks(run.view(), small.start.size(), {{1, 2, 4}});
  ASSERT_EQ(leaks.size(), 3 * kNodes);
  for (const Leak& leak : leaks) testing::expect_released(small, leak, leak.round - 1, noise, kRounding, 2);
  EXPECT_EQ(gossip_step_leaks(run.view(), small.start.size(), {}).size(), kNodes);
  EXPECT_EQ(gossip_step_leaks(run.view(), small.start.size(), {{3}, 2}).size(), 2U);
}

/// A first run tells the graphs, which are addressed by seed, trial and round.
TEST(GossipSteps, StepsOnGraphsThatChangeNeedTheGraphs) {
  const SmallTask small(kNodes);
  const Protection noise = testing::clipped_noise(0.5);
  const Json given = {{"rounds", 3}, {"edge_probability", 0.5}};
  OverheardSteps first(small, "muffliato_random", given, noise, testing::taps_on_all(small), 1);
  const auto& training = dynamic_cast<const DecentralisedTraining&>(first.protocol());
  PublicKnowledge told;
  for (Round round = 1; round <= 3; ++round) {
    Json links = Json::array();
    for (const auto& [a, b] : training.mixing().matrix(round - 1).graph().edges()) links.push_back({a, b});
    told.protocol["graphs"].push_back({{"round", round}, {"links", links}});
  }
  const OverheardSteps run(small, "muffliato_random", given, noise, testing::taps_on_all(small), 3, told);
  const auto leaks = gossip_step_leaks(run.view(), small.start.size(), {{2, 3}});
  ASSERT_GE(leaks.size(), 2 * kNodes - 4);  // a node without neighbours says nothing
  for (const Leak& leak : leaks) testing::expect_released(small, leak, leak.round - 1, noise, kRounding);
  const OverheardSteps untold(small, "muffliato_random", given, noise, testing::taps_on_all(small), 3);
  try {
    gossip_step_leaks(untold.view(), small.start.size(), {{3}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("does not tell \"graphs\""));
  }
}

TEST(GossipSteps, AllNeighboursTogetherSeeTheOneBetweenThem) {
  const SmallTask small(kNodes);
  const Protection noise = testing::clipped_noise(0.5);
  const GossipMatrix weights = metropolis_weights(ring_of_six());
  PublicKnowledge told;
  told.gossip_matrix = &weights;
  const OverheardSteps run(small, "muffliato", {{"rounds", 3}}, noise, {{1, 3}, {}, {}}, 3, told);
  const auto leaks = gossip_step_leaks(run.view(), small.start.size(), {{3}});
  ASSERT_EQ(leaks.size(), 1U);
  EXPECT_EQ(leaks[0].victim, 2U);
  testing::expect_released(small, leaks[0], 2, noise, kRounding);
}

TEST(GossipSteps, WhoeverIsLateShowsNothing) {
  const SmallTask small(kNodes);
  const GossipMatrix weights = metropolis_weights(ring_of_six());
  PublicKnowledge told;
  told.gossip_matrix = &weights;
  OverheardSteps run(small, "muffliato",
                     {{"rounds", 5}, {"latency", "exponential"}, {"skip_probability", 0.5}},
                     testing::clipped_noise(0.1), testing::taps_on_all(small), 5, told);
  std::uint64_t steps = 0;
  for (const Learner* learner : run.protocol().learners()) steps += learner->steps();
  EXPECT_LT(steps, 5 * kNodes);
  EXPECT_EQ(gossip_step_leaks(run.view(), small.start.size(), {{1, 2, 3, 4, 5}}).size(), steps);
}

TEST(GossipSteps, WhereMessagesMayBeLostAnAverageIsAnAssumption) {
  const SmallTask small(kNodes);
  const GossipMatrix weights = metropolis_weights(ring_of_six());
  PublicKnowledge told;
  told.gossip_matrix = &weights;
  told.protocol["lossy"] = true;
  const OverheardSteps run(small, "dgd", {{"rounds", 2}}, no_protection(), testing::taps_on_all(small), 2,
                           told);
  const auto leaks = gossip_step_leaks(run.view(), small.start.size(), {{1, 2}, 1});
  ASSERT_EQ(leaks.size(), 2U);
  EXPECT_THAT(leaks[0].what, Not(HasSubstr("if all messages arrived")));
  EXPECT_THAT(leaks[1].what, HasSubstr("if all messages arrived"));
}

TEST(GossipSteps, SaysWhatItCannotRead) {
  const SmallTask small(kNodes);
  const GossipMatrix weights = metropolis_weights(ring_of_six());
  PublicKnowledge told;
  told.gossip_matrix = &weights;
  const OverheardSteps run(small, "muffliato", {{"rounds", 2}, {"local_steps", 2}}, no_protection(),
                           testing::taps_on_all(small), 2, told);
  EXPECT_THROW(gossip_step_leaks(run.view(), small.start.size(), {}), Error);
}

TEST(Leaks, KnowsWhatARoundNeedsOfTheTranscript) {
  const auto window = [](Json facts, std::uint64_t round) {
    PublicKnowledge told;
    told.protocol = std::move(facts);
    const RoundWindow needed = window_of_round(told, round);
    return std::pair(needed.first, needed.end);
  };
  const Json gossip = {{"kind", "muffliato"}, {"gossip_steps", 2}};
  EXPECT_EQ(window(gossip, 1), std::pair(0U, 1U));
  EXPECT_EQ(window(gossip, 3), std::pair(3U, 5U));
  EXPECT_EQ(window({{"kind", "dgd"}, {"gossip_steps", 1}}, 3), std::pair(1U, 3U));
  const Json late = {{"kind", "d_psgd"}, {"gossip_steps", 2}, {"sent", "the state before it"}};
  EXPECT_EQ(window(late, 1), std::pair(0U, 3U));
  EXPECT_EQ(window(late, 3), std::pair(4U, 7U));
  const Json ring = {{"kind", "skip_ring"}, {"visits_per_round", 7}};
  EXPECT_EQ(window(ring, 1), std::pair(0U, 7U));
  EXPECT_EQ(window(ring, 3), std::pair(13U, 21U));
  EXPECT_EQ(window({{"kind", "fedsgd"}, {"sends", "gradients"}}, 3), std::pair(4U, 6U));
  EXPECT_EQ(window({{"kind", "fedsgd"}, {"sends", "differences of gradients"}}, 3), std::pair(0U, 6U));
}

TEST(Leaks, ReadsSingleStepsByTheRoundsOfTheRecipe) {
  const SmallTask small(kNodes);
  const OverheardSteps run(small, "skip_ring", {{"rounds", 3}}, no_protection(), testing::taps_on_all(small),
                           3);
  const Settings recipe(Json{{"rounds", "1, last"}, {"victims", 2}});
  const auto leaks = find_leaks(run.view(), small.start.size(), recipe);
  ASSERT_EQ(leaks.size(), 4U);
  EXPECT_EQ(leaks[0].round, 1U);
  EXPECT_EQ(leaks[1].round, 3U);
  EXPECT_EQ(leak_source("muffliato_random"), LeakSource::kGossipSteps);
  EXPECT_EQ(leak_source("skip_ring"), LeakSource::kRing);
}

}  // namespace
}  // namespace earshot
