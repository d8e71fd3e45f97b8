#include "earshot/protocol/decentralised.hpp"

#include <cmath>
#include <deque>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/core/error.hpp"
#include "earshot/core/parallel.hpp"
#include "earshot/graph/topologies.hpp"
#include "earshot/mechanism/gaussian.hpp"
#include "earshot/protocol/central.hpp"
#include "earshot/protocol/decentralised_oracle.hpp"
#include "earshot/protocol/test_setting.hpp"

namespace earshot {
namespace {

struct Kind {
  const ProtocolComponent* component;
  testing::Order order;
};

std::vector<Kind> kinds() {
  return {{&dgd_component(), testing::Order::kAdaptFirst},
          {&d_psgd_component(), testing::Order::kCombineFirst}};
}

GossipMatrix random_matrix(std::size_t nodes, std::uint64_t seed) {
  Stream stream({seed, Purpose::kTest});
  return metropolis_weights(erdos_renyi(nodes, 0.4, true, stream));
}

/// Metropolis weights of the complete graph: W = 1 1^T / n.
GossipMatrix complete_matrix(std::size_t nodes) {
  Stream stream({1, Purpose::kTest});
  return metropolis_weights(erdos_renyi(nodes, 1, false, stream));
}

constexpr double kRate = 0.3;

std::unique_ptr<Protocol> make(const ProtocolComponent& component, Json given, ProtocolParts parts) {
  given["rounds"] = 20;
  given["learning_rate"] = kRate;
  return component.make(testing::settings_of(component, given), std::move(parts));
}

const DecentralisedNode& node_of(const Protocol& protocol, NodeId node) {
  return dynamic_cast<const DecentralisedTraining&>(protocol).node(node);
}

void expect_states(const Protocol& protocol, const testing::MatrixForm& oracle, std::size_t nodes) {
  for (NodeId v = 0; v < nodes; ++v) {
    const auto got = node_of(protocol, v).state();
    const std::vector<double> expected = oracle.state(v);
    for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], 1e-12);
  }
}

TEST(Decentralised, EqualsTheMatrixFormOfEachAlgorithm) {
  for (const auto& [component, order] : kinds()) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      for (const auto& [local, gossip] :
           {std::pair<std::size_t, std::size_t>{1, 1}, {1, 3}, {2, 1}, {3, 2}}) {
        const testing::SmallTask small(7, 3, seed);
        const GossipMatrix matrix = random_matrix(7, seed);
        const auto protocol = make(*component, {{"local_steps", local}, {"gossip_steps", gossip}},
                                   small.parts(no_protection(), &matrix));
        testing::train(*protocol, small.start.size(), 4);
        testing::MatrixForm oracle(small, order, kRate, local);
        for (int t = 0; t < 4; ++t) oracle.round(std::vector(gossip, testing::dense(matrix)));
        expect_states(*protocol, oracle, 7);
        EXPECT_GT(*protocol->disagreement(), 1e-6);
      }
    }
  }
}

/// All nodes' mean gradient at their mean.
TEST(Decentralised, DgdOnACompleteGraphIsCentralGradientDescent) {
  const testing::SmallTask small(5, 4);
  const GossipMatrix matrix = complete_matrix(5);
  const auto central = make(central_component(), {}, small.parts());
  const std::vector<double> expected = testing::train(*central, small.start.size(), 6);
  const auto dgd = make(dgd_component(), {}, small.parts(no_protection(), &matrix));
  const std::vector<double> got = testing::train(*dgd, small.start.size(), 6);
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], 1e-13);
  EXPECT_LT(*dgd->disagreement(), 1e-14);
}

/// D-PSGD takes gradients before nodes have agreed. Where all nodes hold the same records they never
/// disagree, and on any graph both algorithms are central gradient descent on these.
TEST(Decentralised, NodesWithTheSameRecordsAreCentralGradientDescent) {
  testing::SmallTask small(5, 4);
  const GossipMatrix matrix = random_matrix(5, 3);
  for (auto& shard : small.shards) shard = small.shards[0];
  ProtocolParts alone = small.parts();
  alone.shards.resize(1);
  const auto central = make(central_component(), {}, std::move(alone));
  const std::vector<double> expected = testing::train(*central, small.start.size(), 6);
  for (const auto& [component, order] : kinds()) {
    const auto protocol = make(*component, {}, small.parts(no_protection(), &matrix));
    const std::vector<double> got = testing::train(*protocol, small.start.size(), 6);
    for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], 1e-13);
  }
}

/// Loses messages on their way to one node.
class HardOfHearing : public Participant {
 public:
  HardOfHearing(Participant& inner, NodeId node, const Topology& topology, const testing::Loss& lost)
      : inner_(inner), node_(node), topology_(topology), lost_(lost) {}
  void speak(Round round, Outbox& out) override { inner_.speak(round, out); }
  void listen(Round round, const Inbox& in) override {
    std::vector<std::span<const double>> heard;
    for (std::size_t i = 0; i < in.size(); ++i) {
      const NodeId from = topology_.graph().neighbours(node_)[i];
      heard.push_back(lost_(from, node_) ? std::span<const double>{} : in.from(i));
    }
    inner_.listen(round, Inbox(heard));
  }
  void finish(Round round) override { inner_.finish(round); }
  void save(StateWriter& out) const override { inner_.save(out); }
  void load(StateReader& in) override { inner_.load(in); }

 private:
  Participant& inner_;
  NodeId node_;
  const Topology& topology_;
  const testing::Loss& lost_;
};

void run_lossy(Protocol& protocol, const testing::Loss& lost, Round exchanges) {
  std::deque<HardOfHearing> nodes;
  std::vector<Participant*> participants;
  for (Participant* participant : protocol.participants()) {
    participants.push_back(&nodes.emplace_back(*participant, static_cast<NodeId>(participants.size()),
                                               protocol.topology(), lost));
  }
  LocalNetwork network(protocol.topology(), participants);
  network.run(exchanges);
}

/// Even when only one direction is lost.
TEST(Decentralised, ALostMessagesWeightStaysWithTheReceiver) {
  const testing::Loss lost = [](NodeId from, NodeId to) { return (3 * from + to) % 4 == 0; };
  for (const auto& [component, order] : kinds()) {
    const testing::SmallTask small(7, 3);
    const GossipMatrix matrix = random_matrix(7, 2);
    const auto protocol = make(*component, {{"gossip_steps", 2}}, small.parts(no_protection(), &matrix));
    run_lossy(*protocol, lost, 6);
    testing::MatrixForm oracle(small, order, kRate);
    for (int t = 0; t < 3; ++t) oracle.round(std::vector(2, testing::dense(matrix, lost)));
    expect_states(*protocol, oracle, 7);
  }
}

TEST(Decentralised, NodesThatHearNothingLearnAlone) {
  for (const auto& [component, order] : kinds()) {
    const testing::SmallTask small(4, 3);
    const GossipMatrix matrix = random_matrix(4, 2);
    const auto protocol = make(*component, {}, small.parts(no_protection(), &matrix));
    run_lossy(
        *protocol, [](NodeId, NodeId) { return true; }, 5);
    testing::MatrixForm oracle(small, order, kRate);
    for (int t = 0; t < 5; ++t) oracle.round({Eigen::MatrixXd::Identity(4, 4)});
    expect_states(*protocol, oracle, 4);
  }
}

/// In every round the mean over the nodes moves by the mean of their own steps, also when links fail in both
/// directions: averaging itself keeps it.
TEST(Decentralised, AveragingKeepsTheMean) {
  const testing::Loss lost = [](NodeId from, NodeId to) { return (from + to) % 3 == 0; };
  for (const auto& [component, order] : kinds()) {
    const testing::SmallTask small(7, 3);
    const GossipMatrix matrix = random_matrix(7, 5);
    const auto protocol = make(*component, {{"gossip_steps", 3}}, small.parts(no_protection(), &matrix));
    run_lossy(*protocol, lost, 3 * 3);
    testing::MatrixForm oracle(small, order, kRate);
    std::vector<double> before(small.start.size()), after(small.start.size());
    for (NodeId v = 0; v < 7; ++v) oracle.set_state(v, node_of(*protocol, v).state());
    const Eigen::RowVectorXd moved = oracle.own_steps().colwise().mean();
    protocol->result(before);
    run_lossy(*protocol, lost, 3);
    protocol->result(after);
    EXPECT_GT(*protocol->disagreement(), 1e-6);
    for (std::size_t i = 0; i < after.size(); ++i) {
      EXPECT_NEAR(after[i], before[i] + moved[static_cast<Eigen::Index>(i)], 1e-14);
    }
  }
}

Protection noisy_steps(double sigma = 0.5, std::optional<double> budget = {}) {
  Protection protection;
  protection.scope = ProtectedScope::kBatch;
  protection.mechanism = std::make_shared<GaussianMechanism>(
      clipped_terms(Norm::kL2, 1, Adjacency::kReplace, "one node's whole data"), sigma, 1e-5);
  protection.budget = budget;
  return protection;
}

/// Whole, and interrupted within a round of training; on one thread and on two.
TEST(Decentralised, GoesOnFromACheckpointToTheBitOnAnyNumberOfThreads) {
  for (const auto& [component, order] : kinds()) {
    const testing::SmallTask small(6, 5);
    const GossipMatrix matrix = random_matrix(6, 4);
    const Json given = {{"gossip_steps", 3},        {"batch", 2},
                        {"draw", "fixed"},          {"local_steps", 2},
                        {"latency", "exponential"}, {"skip_probability", 0.3}};
    const auto fresh = [&] { return make(*component, given, small.parts(noisy_steps(), &matrix)); };
    set_thread_count(1);
    const auto whole = fresh();
    const std::vector<double> expected = testing::train(*whole, small.start.size(), 5);

    set_thread_count(2);
    const auto second = testing::stop_and_go_on(fresh, 7, 8);
    set_thread_count(0);
    EXPECT_EQ(testing::result_of(*second, small.start.size()), expected);
    EXPECT_EQ(second->elapsed(), whole->elapsed());
    EXPECT_EQ(second->disagreement(), whole->disagreement());
    EXPECT_EQ(second->learners()[2]->ledger().to_text(), whole->learners()[2]->ledger().to_text());
  }
}

/// Exhausted nodes make no step of their own but keep averaging, which releases nothing new.
TEST(Decentralised, ANodeWithoutBudgetKeepsAveraging) {
  for (const auto& [component, order] : kinds()) {
    const testing::SmallTask small(6, 4);
    const GossipMatrix matrix = random_matrix(6, 4);
    const auto once = make(*component, {}, small.parts(noisy_steps(), &matrix));
    testing::train(*once, small.start.size(), 3);
    const double three_steps = *once->learners()[0]->statement().epsilon;
    const auto protocol = make(*component, {}, small.parts(noisy_steps(0.5, three_steps * 1.01), &matrix));
    LocalNetwork network(protocol->topology(), protocol->participants());
    network.run(4);
    std::vector<double> then(small.start.size()), later(small.start.size());
    protocol->result(then);
    network.run(200);
    protocol->result(later);
    for (Learner* learner : protocol->learners()) {
      EXPECT_EQ(learner->steps(), 3U);
      EXPECT_TRUE(learner->exhausted());
    }
    EXPECT_LT(*protocol->disagreement(), 1e-6);
    for (std::size_t i = 0; i < then.size(); ++i) EXPECT_NEAR(later[i], then[i], 1e-12);
  }
}

/// Nodes in disagreement whose budgets are spent: from here on there is only averaging.
std::unique_ptr<Protocol> spent(const ProtocolComponent& component, const testing::SmallTask& small,
                                const GossipMatrix& matrix) {
  const Protection protection = noisy_steps(0.5, 60.0);
  auto protocol = make(component, {{"gossip_steps", 2}}, small.parts(protection, &matrix));
  testing::train(*protocol, small.start.size(), 4);
  EXPECT_GT(*protocol->disagreement(), 0.01);
  for (const Learner* learner : protocol->learners()) EXPECT_TRUE(learner->exhausted());
  return protocol;
}

TEST(Decentralised, SymmetricLossesAndCrashesKeepTheMean) {
  FaultOptions faults;
  faults.loss = 0.3;
  faults.symmetric = true;
  faults.crash = 0.1;
  faults.comeback = 0.4;
  for (const auto& [component, order] : kinds()) {
    const testing::SmallTask small(7, 3);
    const GossipMatrix matrix = random_matrix(7, 5);
    const auto protocol = spent(*component, small, matrix);
    std::vector<double> before(small.start.size()), after(small.start.size());
    protocol->result(before);
    LocalNetwork network(protocol->topology(), protocol->participants());
    network.suffer(faults, 3, 0);
    network.run(60);
    protocol->result(after);
    EXPECT_GT(network.fault_report()->lost, 50U);
    EXPECT_GT(network.fault_report()->crashes, 3U);
    for (std::size_t i = 0; i < after.size(); ++i) EXPECT_NEAR(after[i], before[i], 1e-12);
  }
}

/// One-way losses and old messages move the mean, but no state leaves the range of the states there were.
TEST(Decentralised, UnderAnyFaultsStatesStayAmongTheStatesThereWere) {
  FaultOptions faults;
  faults.loss = 0.2;
  faults.delay = 1;
  faults.straggler = 0.1;
  faults.crash = 0.05;
  faults.comeback = 0.4;
  for (const auto& [component, order] : kinds()) {
    const testing::SmallTask small(7, 3);
    const GossipMatrix matrix = random_matrix(7, 5);
    const auto protocol = spent(*component, small, matrix);
    const auto range = [&](std::size_t i) {
      double low = node_of(*protocol, 0).state()[i];
      double high = low;
      for (NodeId v = 1; v < 7; ++v) {
        low = std::min(low, node_of(*protocol, v).state()[i]);
        high = std::max(high, node_of(*protocol, v).state()[i]);
      }
      return std::pair{low, high};
    };
    std::vector<std::pair<double, double>> before;
    for (std::size_t i = 0; i < small.start.size(); ++i) before.push_back(range(i));
    LocalNetwork network(protocol->topology(), protocol->participants());
    network.suffer(faults, 3, 0);
    network.run(60);
    EXPECT_GT(network.fault_report()->delayed, 50U);
    for (std::size_t i = 0; i < before.size(); ++i) {
      EXPECT_GE(range(i).first, before[i].first - 1e-12);
      EXPECT_LE(range(i).second, before[i].second + 1e-12);
    }
  }
}

TEST(Decentralised, LateNodesOnlyAverageAndTheClockWaitsForTheOthers) {
  for (const auto& [component, order] : kinds()) {
    const testing::SmallTask small(6, 4);
    const GossipMatrix matrix = random_matrix(6, 4);
    const auto protocol = make(
        *component,
        {{"gossip_steps", 2}, {"latency", "exponential"}, {"communication", 0.25}, {"skip_probability", 0.4}},
        small.parts(no_protection(), &matrix));
    testing::train(*protocol, small.start.size(), 5);
    const LatencyClock clock({LatencyLaw::kExponential, 0.25, 0.4}, 1, 0);
    testing::MatrixForm oracle(small, order, kRate);
    double time = 0;
    std::size_t late = 0;
    for (std::uint64_t t = 0; t < 5; ++t) {
      oracle.round(std::vector(2, testing::dense(matrix)), [&](NodeId node, Eigen::RowVectorXd& step) {
        if (clock.in_time(node, t)) return;
        step.setZero();
        ++late;
      });
      time += clock.together(6, t, 2);
    }
    EXPECT_GT(late, 0U);
    expect_states(*protocol, oracle, 6);
    EXPECT_DOUBLE_EQ(*protocol->elapsed(), time);
  }
}

/// Noise so small that only the clipping is seen.
TEST(Decentralised, ProtectedUpdatesAreTheClippedSumOfARoundsSteps) {
  const double clip = 0.1;
  Protection protection;
  protection.scope = ProtectedScope::kUpdate;
  protection.mechanism = std::make_shared<GaussianMechanism>(
      clipped_terms(Norm::kL2, clip, Adjacency::kReplace, "one node's whole data"), 1e-13, 1e-5);
  for (const auto& [component, order] : kinds()) {
    const testing::SmallTask small(6, 4);
    const GossipMatrix matrix = random_matrix(6, 4);
    const auto protocol = make(*component, {{"local_steps", 3}}, small.parts(protection, &matrix));
    testing::train(*protocol, small.start.size(), 4);
    testing::MatrixForm oracle(small, order, kRate, 3);
    std::size_t clipped = 0;
    for (int t = 0; t < 4; ++t) {
      oracle.round({testing::dense(matrix)}, [&](NodeId, Eigen::RowVectorXd& step) {
        if (step.norm() <= clip) return;
        step *= clip / step.norm();
        ++clipped;
      });
    }
    EXPECT_GT(clipped, 0U);
    expect_states(*protocol, oracle, 6);
    EXPECT_EQ(protocol->learners()[0]->ledger().entries().at(0).count, 4U);
  }
}

TEST(Decentralised, CountsTheStepsOfAWholeRun) {
  const Settings settings =
      testing::settings_of(dgd_component(), {{"rounds", 7}, {"local_steps", 3}, {"gossip_steps", 5}});
  EXPECT_EQ(dgd_component().steps(settings, 10, 100), 21U);
}

TEST(Decentralised, RefusesAGraphOfAnotherSize) {
  const testing::SmallTask small(4, 3);
  const GossipMatrix matrix = random_matrix(5, 1);
  EXPECT_THROW(make(dgd_component(), {}, small.parts(no_protection(), &matrix)), Error);
}

}  // namespace
}  // namespace earshot
