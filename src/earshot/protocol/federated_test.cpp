#include "earshot/protocol/federated.hpp"

#include <cmath>
#include <numeric>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/core/error.hpp"
#include "earshot/core/finite.hpp"
#include "earshot/core/parallel.hpp"
#include "earshot/protocol/central.hpp"
#include "earshot/protocol/federated_averaging.hpp"
#include "earshot/protocol/federated_scaffold.hpp"
#include "earshot/protocol/federated_server.hpp"
#include "earshot/protocol/federated_sgd.hpp"
#include "earshot/protocol/federated_test_runs.hpp"
#include "earshot/training/protection_components.hpp"

namespace earshot {
namespace {

using testing::Federation;
using testing::largest_difference;
using testing::SmallTask;

const std::vector<const ProtocolComponent*> kAll = {&fedsgd_component(), &fedavg_component(),
                                                    &fedprox_component(), &scaffold_component()};

Json some_settings(const ProtocolComponent& component) {
  Json given{{"rounds", 9}, {"batch", 3}, {"learning_rate", 0.2}};
  if (component.schema.name == "fedprox") given["mu"] = 0.3;
  return given;
}

TEST(Federated, OneFullStepOfAllClientsIsCentralGradientDescent) {
  const SmallTask small(4, 5);
  const Json central{{"rounds", 7}, {"learning_rate", 0.3}};
  const auto alone =
      central_component().make(testing::settings_of(central_component(), central), small.parts());
  const std::vector<double> expected = testing::train(*alone, small.start.size(), 7);
  for (const ProtocolComponent* component : kAll) {
    Json given = central;
    if (component->schema.name == "fedprox") given["mu"] = 0.7;  // no effect on a single step
    const auto protocol = component->make(testing::settings_of(*component, given), small.parts());
    const std::vector<double> state = testing::train(*protocol, small.start.size(), 7);
    EXPECT_LT(largest_difference(state, expected), 1e-13) << component->schema.name;
  }
}

/// Unequal shards: the mean over all records is the mean of the clients' means, weighted by their records.
TEST(Federated, WeightsByRecordsOrNot) {
  SmallTask small(3, 4);
  small.shards = {{0, 1}, {2, 3, 4, 5, 6, 7, 8}, {9, 10, 11}};
  const Json given{{"rounds", 5}, {"learning_rate", 0.3}};
  const auto central =
      central_component().make(testing::settings_of(central_component(), given), small.parts());
  const std::vector<double> pooled = testing::train(*central, small.start.size(), 5);
  std::vector<double> by_hand = small.start;
  for (int round = 0; round < 5; ++round) {
    std::vector<double> mean(by_hand.size()), g(by_hand.size());
    for (const auto& shard : small.shards) {
      small.task->gradient(by_hand, {shard}, g);
      for (std::size_t i = 0; i < g.size(); ++i) mean[i] += g[i] / 3;
    }
    for (std::size_t i = 0; i < g.size(); ++i) by_hand[i] -= 0.3 * mean[i];
  }
  for (const ProtocolComponent* component : {&fedsgd_component(), &fedavg_component()}) {
    Json weighted = given;
    const auto records = component->make(testing::settings_of(*component, weighted), small.parts());
    EXPECT_LT(largest_difference(testing::train(*records, by_hand.size(), 5), pooled), 1e-13);
    weighted["weighting"] = "uniform";
    const auto uniform = component->make(testing::settings_of(*component, weighted), small.parts());
    const std::vector<double> state = testing::train(*uniform, by_hand.size(), 5);
    EXPECT_LT(largest_difference(state, by_hand), 1e-13);
    EXPECT_GT(largest_difference(state, pooled), 1e-3);
  }
}

TEST(Federated, ChoosesClientsAtRandomAndEachEquallyOften) {
  FederatedOptions options;
  options.fraction = 0.5;
  const FederatedServer server(options, nullptr, std::vector<double>(9, 1.0), 4, 0);
  std::vector<int> count(9);
  std::set<std::vector<NodeId>> different;
  for (std::uint64_t round = 0; round < 900; ++round) {
    const std::vector<NodeId> chosen = server.chosen(round);
    ASSERT_EQ(chosen.size(), 4U);
    EXPECT_TRUE(std::ranges::is_sorted(chosen));
    EXPECT_EQ(chosen, server.chosen(round));
    different.insert(chosen);
    for (const NodeId client : chosen) ++count[client];
  }
  EXPECT_GT(different.size(), 60U);  // of 126 sets
  // 400 +- 14.9 each; six deviations, nine clients: 2e-8.
  for (const int times : count) EXPECT_NEAR(times, 400, 6 * std::sqrt(900 * 4.0 / 9 * 5.0 / 9));

  options.fraction = 1e-9;
  EXPECT_EQ(FederatedServer(options, nullptr, std::vector<double>(9, 1.0), 4, 0).chosen(0).size(), 1U);
  options.clients = 7;
  EXPECT_EQ(FederatedServer(options, nullptr, std::vector<double>(9, 1.0), 4, 0).chosen(0).size(), 7U);
}

TEST(Federated, EqualToTheBitOnAnyNumberOfThreadsAndAfterABreak) {
  const SmallTask small(40, 5);
  for (const ProtocolComponent* component : kAll) {
    Json given = some_settings(*component);
    given.update({{"fraction", 0.6}, {"latency", "exponential"}, {"skip_probability", 0.2}});
    if (component->schema.name == "fedavg") given["server_momentum"] = 0.5;
    const ProtocolUse use{small, *component, given};
    set_thread_count(1);
    const Federation one(use, 9);
    set_thread_count(2);
    const Federation two(use, 9);
    EXPECT_EQ(one.state(), two.state()) << component->schema.name;
    for (const Round rounds : {1, 4, 8}) {
      const std::string sealed = Federation(use, rounds).sealed();
      const Federation resumed(use, sealed, 9 - rounds);
      EXPECT_EQ(resumed.state(), one.state()) << component->schema.name << " after " << rounds;
      EXPECT_EQ(resumed.sealed(), one.sealed());
    }
  }
}

TEST(Federated, CountsItsClockAndLeavesOutWhoIsLate) {
  const SmallTask small(6, 4);
  Json given{{"rounds", 4}, {"latency", "exponential"}, {"communication", 0.5}, {"skip_probability", 0.4}};
  const Federation federation({small, fedsgd_component(), given}, 4);
  const LatencyClock clock({LatencyLaw::kExponential, 0.5, 0.4}, 1, 0);
  double expected = 0;
  std::uint64_t late = 0;
  for (std::uint64_t round = 0; round < 4; ++round) {
    double slowest = 0;
    for (NodeId client = 0; client < 6; ++client) {
      slowest = std::max(slowest, std::min(clock.latency(client, round), clock.timeout()));
      late += clock.in_time(client, round) ? 0 : 1;
    }
    expected += 1 + slowest;
  }
  ASSERT_GT(late, 0U);
  EXPECT_DOUBLE_EQ(*federation.protocol().elapsed(), expected);
  EXPECT_EQ(federation.protocol().public_facts().at("timed_out"), late);
  given["latency"] = "none";
  given["skip_probability"] = 0;
  EXPECT_FALSE(Federation({small, fedsgd_component(), given}, 4).protocol().elapsed().has_value());
}

/// With every client too late nothing is averaged, and the model is the one that was sent.
TEST(Federated, WithoutRepliesTheModelStays) {
  const SmallTask small(3, 4);
  for (const ProtocolComponent* component : kAll) {
    FaultOptions faults;
    faults.loss = 1;
    const Federation federation({small, *component, some_settings(*component)}, 5, faults);
    EXPECT_EQ(federation.state(), small.start) << component->schema.name;
    EXPECT_EQ(federation.protocol().public_facts().at("used"), 0);
    for (Learner* learner : federation.protocol().learners()) EXPECT_EQ(learner->participations(), 0U);
  }
}

TEST(Federated, LostAndLateMessagesAreLeftOut) {
  const SmallTask small(12, 4);
  FaultOptions faults;
  faults.loss = 0.3;
  faults.delay = 0.5;
  faults.crash = 0.05;
  faults.comeback = 0.5;
  for (const ProtocolComponent* component : kAll) {
    const Federation federation({small, *component, some_settings(*component)}, 60, faults);
    const Json facts = federation.protocol().public_facts();
    EXPECT_GT(facts.at("used").get<int>(), 0);
    EXPECT_LT(facts.at("used"), facts.at("asked"));
    EXPECT_TRUE(all_finite(federation.state())) << component->schema.name;
    if (component == &scaffold_component()) {
      EXPECT_THAT(federation.protocol().warnings(), ::testing::Contains(::testing::HasSubstr("no longer")));
    } else {
      EXPECT_LT(small.loss(federation.state()), 0.9 * small.loss(small.start)) << component->schema.name;
    }
  }
}

/// The oracle of loss: a mean over the replies that came through.
TEST(Federated, ASilentClientIsNotCounted) {
  const SmallTask small(3, 4);
  const Json given{{"rounds", 1}, {"learning_rate", 0.3}};
  for (std::uint64_t seed = 1; seed < 20; ++seed) {
    FaultOptions faults;
    faults.loss = 0.4;
    const Federation federation({small, fedavg_component(), given}, 1, faults, seed);
    std::vector<double> start = small.start, mean(start.size()), g(start.size());
    double heard = 0;
    for (std::size_t client = 0; client < 3; ++client) {
      if (!federation.heard(static_cast<NodeId>(client))) continue;
      small.task->gradient(start, {small.shards[client]}, g);
      for (std::size_t i = 0; i < g.size(); ++i) mean[i] += small.start[i] - 0.3 * g[i];
      ++heard;
    }
    for (double& value : mean) value /= heard;
    const std::vector<double> expected = heard == 0 ? small.start : mean;
    EXPECT_LT(largest_difference(federation.state(), expected), 1e-13);
  }
}

/// A record whose features are huge makes the gradient infinite under a steep model.
TEST(Federated, RejectsRepliesThatAreNotFinite) {
  const SmallTask small(3, 4);
  for (const ProtocolComponent* component : kAll) {
    testing::BrokenClient broken(1);
    const Federation federation({small, *component, some_settings(*component)}, 3, broken);
    EXPECT_TRUE(all_finite(federation.state()));
    EXPECT_EQ(federation.protocol().public_facts().at("rejected"), 3);
    EXPECT_THAT(federation.protocol().warnings(),
                ::testing::Contains(::testing::HasSubstr("rejected 3 of 9 replies")));
  }
}

TEST(Federated, RefusesWhatCannotBe) {
  SmallTask small(3, 4);
  const Settings settings = testing::settings_of(fedavg_component(), {{"rounds", 1}});
  small.shards.clear();
  EXPECT_THROW(fedavg_component().make(settings, small.parts()), Error);
}

}  // namespace
}  // namespace earshot
