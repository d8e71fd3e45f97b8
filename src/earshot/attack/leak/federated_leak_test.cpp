#include "earshot/attack/leak/federated_leak.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/core/error.hpp"
#include "earshot/protocol/test_setting.hpp"
#include "earshot/threat/view.hpp"

namespace earshot {
namespace {

using ::testing::HasSubstr;
using testing::SmallTask;

/// A federation overheard by `adversary`; the hub is the node after the clients.
class OverheardFederation {
 public:
  OverheardFederation(const SmallTask& small, const char* kind, const Json& given, Adversary adversary,
                      Round rounds)
      : protocol_(find_training_protocol(kind)->make(
            testing::settings_of(*find_training_protocol(kind), given), small.parts())),
        network_(protocol_->topology(), protocol_->participants()) {
    PublicKnowledge told;
    told.initial_parameters = small.start;
    told.protocol = protocol_->public_facts();
    for (const auto& shard : small.shards) told.protocol["records"].push_back(shard.size());
    if (given.contains("batch")) told.protocol["batch"] = given.at("batch");
    const std::vector<Adversary> adversaries = {std::move(adversary)};
    recorder_ = std::make_unique<Recorder>(protocol_->participants().size(), adversaries, std::move(told),
                                           RoundWindow{0, 2 * rounds});
    network_.attach(*recorder_);
    network_.run(2 * rounds);
  }
  const View& view() const { return recorder_->views()[0]; }

 private:
  std::unique_ptr<Protocol> protocol_;
  LocalNetwork network_;
  std::unique_ptr<Recorder> recorder_;
};

Adversary server_of(const SmallTask& small) {
  return {{static_cast<NodeId>(small.shards.size())}, {}, {}};
}

/// How far what the true records would have made is from what leaked, relative to it.
double deviation(const SmallTask& small, const Leak& leak) {
  ExampleMemory memory;
  const Problems<double> truth = small.examples->gather(small.shards[leak.victim], 2, 0, memory);
  std::vector<double> predicted(leak.observation.values.size());
  make_predictor<double>(*small.model, leak.observation)
      ->predict({1, truth.rows, truth.inputs, truth.targets}, predicted);
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    difference = std::max(difference, std::abs(predicted[i] - leak.observation.values[i]));
    size = std::max(size, std::abs(leak.observation.values[i]));
  }
  return difference / size;
}

void expect_exact(const SmallTask& small, const std::vector<Leak>& leaks) {
  ASSERT_EQ(leaks.size(), small.shards.size());
  for (const Leak& leak : leaks) EXPECT_LT(deviation(small, leak), 1e-11) << leak.what;
}

TEST(FederatedLeak, GradientsOfAnyRoundAreThoseOfTheRecords) {
  const SmallTask small(3);
  const OverheardFederation run(small, "fedsgd", {{"rounds", 4}}, server_of(small), 4);
  for (const std::uint64_t round : {1, 3}) {
    const auto leaks = federated_leaks(run.view(), small.start.size(), {round});
    expect_exact(small, leaks);
    for (const Leak& leak : leaks) EXPECT_EQ(leak.round, round);
  }
}

TEST(FederatedLeak, SaysWhatWasLeftOutAndRounded) {
  const SmallTask small(3);
  const OverheardFederation whole(small, "fedsgd", {{"rounds", 1}}, server_of(small), 1);
  const OverheardFederation run(small, "fedsgd", {{"rounds", 1}, {"pruned", 0.5}, {"cell", 1e-3}},
                                server_of(small), 1);
  const auto expected = federated_leaks(whole.view(), small.start.size(), {});
  const auto leaks = federated_leaks(run.view(), small.start.size(), {});
  ASSERT_EQ(leaks.size(), 3U);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_FALSE(expected[k].pruned);
    EXPECT_EQ(expected[k].cell, 0);
    EXPECT_TRUE(leaks[k].pruned);
    EXPECT_EQ(leaks[k].cell, 1e-3);
    EXPECT_THAT(leaks[k].what, HasSubstr("50 % of its numbers left out, rounded by cells of 0.001"));
    const auto& values = leaks[k].observation.values;
    EXPECT_GE(2 * std::ranges::count(values, 0.0), static_cast<std::ptrdiff_t>(values.size() - 1));
    for (std::size_t i = 0; i < values.size(); ++i)
      if (values[i] != 0) EXPECT_LE(std::abs(values[i] - expected[k].observation.values[i]), 0.5e-3 + 1e-15);
  }
}

TEST(FederatedLeak, DifferencesOfGradientsAreThoseOfTheRecords) {
  const SmallTask small(3);
  const OverheardFederation run(small, "fedsgd", {{"rounds", 4}, {"messages", "differential"}},
                                server_of(small), 4);
  expect_exact(small, federated_leaks(run.view(), small.start.size(), {}));
  expect_exact(small, federated_leaks(run.view(), small.start.size(), {3}));
}

TEST(FederatedLeak, FollowsLocalStepsExactlyWhenTheyAreInOrder) {
  const SmallTask small(3);
  for (const char* kind : {"fedavg", "scaffold"}) {
    const OverheardFederation once(small, kind, {{"rounds", 2}, {"local_steps", 1}}, server_of(small), 2);
    expect_exact(small, federated_leaks(once.view(), small.start.size(), {2}));
  }
  const OverheardFederation often(
      small, "fedavg", {{"rounds", 2}, {"local_epochs", 5}, {"learning_rate", 0.02}}, server_of(small), 2);
  expect_exact(small, federated_leaks(often.view(), small.start.size(), {2}));
  const auto rough = federated_leaks(often.view(), small.start.size(), {2, false});
  for (const Leak& leak : rough) {
    EXPECT_FALSE(leak.observation.local_training);
    EXPECT_GT(deviation(small, leak), 1e-3);
    EXPECT_LT(deviation(small, leak), 0.3);
  }
}

TEST(FederatedLeak, ScaffoldsGradientControlIsTheGradientAtTheServersModel) {
  const SmallTask small(3);
  const OverheardFederation run(
      small, "scaffold", {{"rounds", 3}, {"local_epochs", 4}, {"control", "gradient"}}, server_of(small), 3);
  expect_exact(small, federated_leaks(run.view(), small.start.size(), {3}));
}

TEST(FederatedLeak, ATapHearsWithoutTheServerInTheFirstRoundOnly) {
  const SmallTask small(3);
  const OverheardFederation run(small, "fedsgd", {{"rounds", 2}}, {{}, {1}, {}}, 2);
  const auto first = federated_leaks(run.view(), small.start.size(), {});
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(first[0].victim, 1U);
  EXPECT_LT(deviation(small, first[0]), 1e-11);
  EXPECT_TRUE(federated_leaks(run.view(), small.start.size(), {2}).empty());
}

TEST(FederatedLeak, MembersAreNoVictims) {
  const SmallTask small(3);
  const OverheardFederation run(small, "fedsgd", {{"rounds", 1}}, {{1, 3}, {}, {}}, 1);
  const auto leaks = federated_leaks(run.view(), small.start.size(), {});
  ASSERT_EQ(leaks.size(), 2U);
  EXPECT_EQ(leaks[0].victim, 0U);
  EXPECT_EQ(leaks[1].victim, 2U);
}

TEST(FederatedLeak, SaysWhatIsNotTold) {
  const Graph star(2, std::vector<Edge>{{0, 1}});
  const std::vector<Adversary> adversaries = {make_adversary(star, {1})};
  const Recorder recorder(star, adversaries, {}, 2);
  try {
    federated_leaks(recorder.views()[0], 6, {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("does not tell \"sends\""));
  }
}

}  // namespace
}  // namespace earshot
