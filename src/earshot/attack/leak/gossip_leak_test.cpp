#include "earshot/attack/leak/gossip_leak.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/attack/leak/leaks.hpp"
#include "earshot/core/error.hpp"
#include "earshot/protocol/test_setting.hpp"

namespace earshot {
namespace {

using ::testing::HasSubstr;
using testing::SmallTask;

class OverheardLine {
 public:
  OverheardLine(const SmallTask& small, const Json& given, Round rounds)
      : matrix_(metropolis_weights(line(small.shards.size()))),
        protocol_(
            find_training_protocol("dgd")->make(testing::settings_of(*find_training_protocol("dgd"), given),
                                                small.parts(no_protection(), &matrix_))),
        network_(protocol_->topology(), protocol_->participants()) {
    PublicKnowledge told;
    told.gossip_matrix = &matrix_;
    told.initial_parameters = small.start;
    told.protocol = protocol_->public_facts();
    told.protocol["kind"] = "dgd";
    told.learning_rate = told.protocol.at("learning_rate").get<double>();
    for (const auto& shard : small.shards) told.protocol["records"].push_back(shard.size());
    const std::vector<Adversary> adversaries = {make_adversary(matrix_.graph(), {0})};
    recorder_ = std::make_unique<Recorder>(matrix_.graph(), adversaries, std::move(told),
                                           rounds * protocol_->exchanges());
    network_.attach(*recorder_);
    network_.run(rounds * protocol_->exchanges());
  }
  const View& view() const { return recorder_->views()[0]; }

 private:
  static Graph line(std::size_t nodes) {
    std::vector<Edge> edges;
    for (NodeId i = 0; i + 1 < nodes; ++i) edges.emplace_back(i, i + 1);
    return Graph(nodes, edges);
  }
  GossipMatrix matrix_;
  std::unique_ptr<Protocol> protocol_;
  LocalNetwork network_;
  std::unique_ptr<Recorder> recorder_;
};

TEST(GossipLeak, GradientsOfAWholeLineAreThoseOfTheRecords) {
  const SmallTask small(5, 1);
  const OverheardLine run(small, {{"rounds", 5}, {"learning_rate", 1e-6}}, 5);
  const auto leaks = find_leaks(run.view(), small.start.size(), Settings());
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

TEST(GossipLeak, SaysWhatItCannotRead) {
  const SmallTask small(4, 1);
  const OverheardLine twice(small, {{"rounds", 2}, {"gossip_steps", 2}}, 2);
  try {
    gossip_leaks(twice.view(), small.start.size(), {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("one averaging a round"));
  }
}

TEST(Leaks, KnowsWhichProtocolsItCanRead) {
  EXPECT_EQ(leak_source("fedavg"), LeakSource::kFederated);
  EXPECT_EQ(leak_source("admm"), LeakSource::kPrimalDual);
  EXPECT_EQ(leak_source("dgd"), LeakSource::kGossip);
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
  told.protocol["noise"]["law"] = "laplace";
  EXPECT_DOUBLE_EQ(public_noise_scale(told, leak), std::sqrt(2.0));
  leak.cell = 0.25;
  EXPECT_EQ(public_noise_scale(told, leak), 0.25);
}

}  // namespace
}  // namespace earshot
