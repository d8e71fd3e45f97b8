#include "earshot/protocol/skip_ring.hpp"

#include <cmath>
#include <numeric>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/core/parallel.hpp"
#include "earshot/mechanism/gaussian.hpp"
#include "earshot/protocol/skip_ring_node.hpp"
#include "earshot/protocol/test_setting.hpp"

namespace earshot {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Protection noisy(double sigma, std::optional<double> budget = {}) {
  Protection protection;
  protection.scope = ProtectedScope::kBatch;
  protection.mechanism = std::make_shared<GaussianMechanism>(
      clipped_terms(Norm::kL2, 1, Adjacency::kReplace, "node"), sigma, 1e-6);
  protection.delta = 1e-6;
  protection.budget = budget;
  return protection;
}

std::unique_ptr<Protocol> ring(const testing::SmallTask& small, Json given,
                               Protection protection = no_protection()) {
  given["rounds"] = 1000;
  return skip_ring_component().make(testing::settings_of(skip_ring_component(), given),
                                    small.parts(std::move(protection)));
}

std::vector<std::uint64_t> steps_of(Protocol& protocol) {
  std::vector<std::uint64_t> steps;
  for (const Learner* learner : protocol.learners()) steps.push_back(learner->steps());
  return steps;
}

std::uint64_t sum(const std::vector<std::uint64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

/// Two laps, written out: the c-th update has step zeta / sqrt(c), and the ball is entered after each.
std::vector<double> by_hand(const testing::SmallTask& small, std::size_t visits, double zeta, double radius) {
  std::vector<double> state = small.start;
  std::vector<double> gradient(state.size());
  for (std::size_t t = 0; t < visits; ++t) {
    small.task->gradient(state, {small.shards[t % small.shards.size()]}, gradient);
    double square = 0;
    for (std::size_t i = 0; i < state.size(); ++i) {
      state[i] -= zeta / std::sqrt(static_cast<double>(t + 1)) * gradient[i];
      square += state[i] * state[i];
    }
    const double shrink = radius > 0 ? std::min(1.0, radius / std::sqrt(square)) : 1.0;
    for (double& value : state) value *= shrink;
  }
  return state;
}

TEST(SkipRingProtocol, EqualsTheAlgorithmWrittenOut) {
  const testing::SmallTask small(3);
  for (const double diameter : {0.0, 0.8}) {
    const auto protocol = ring(small, {{"learning_rate", 0.5}, {"diameter", diameter}});
    const std::vector<double> state = testing::train(*protocol, small.start.size(), 2);
    const std::vector<double> expected = by_hand(small, 6, 0.5, diameter / 2);
    for (std::size_t i = 0; i < state.size(); ++i) EXPECT_NEAR(state[i], expected[i], 1e-14);
    EXPECT_THAT(steps_of(*protocol), ElementsAre(2, 2, 2));
  }
}

TEST(SkipRingProtocol, TheModelStaysInTheBall) {
  const testing::SmallTask small(4);
  const auto protocol =
      ring(small, {{"learning_rate", 3}, {"diameter", 1}, {"visits_per_round", 1}}, noisy(2));
  LocalNetwork network(protocol->topology(), protocol->participants());
  std::vector<double> state(small.start.size());
  for (int visit = 0; visit < 20; ++visit) {
    network.run(protocol->exchanges());
    protocol->result(state);
    double square = 0;
    for (const double value : state) square += value * value;
    EXPECT_LE(std::sqrt(square), 0.5 + 1e-12);
  }
}

TEST(SkipRingProtocol, LearnsAndAGraphIsOneOrTwoLinks) {
  const testing::SmallTask small(8);
  const auto protocol = ring(small, {{"learning_rate", 0.3}});
  LocalNetwork network(protocol->topology(), protocol->participants());
  for (int round = 0; round < 80; ++round) {
    network.run(1);
    EXPECT_LE(protocol->topology().graph().edge_count(), 2U);
  }
  std::vector<double> state(small.start.size());
  protocol->result(state);
  EXPECT_LT(small.loss(state), 0.7 * small.loss(small.start));
}

/// The clock's own numbers, added up over the visits; whoever was in time made a step, nobody else.
TEST(SkipRingProtocol, TimeIsTheSumOfVisitsAndStepsAreTheVisitsInTime) {
  const testing::SmallTask small(5);
  for (const bool random : {false, true}) {
    const auto protocol = ring(small,
                               {{"latency", "exponential"},
                                {"skip_probability", 0.4},
                                {"communication", 0.25},
                                {"order", random ? "random" : "fixed"}},
                               noisy(1));
    testing::train(*protocol, small.start.size(), 40);
    const LatencyClock clock({LatencyLaw::kExponential, 0.25, 0.4}, 1, 0);
    const RingOrder order(5, random, 1, 0);
    double time = 0;
    std::vector<std::uint64_t> in_time(5);
    for (std::uint64_t visit = 0; visit < 200; ++visit) {
      time += clock.visit(order.at(visit), visit);
      in_time[order.at(visit)] += clock.in_time(order.at(visit), visit) ? 1 : 0;
    }
    EXPECT_NEAR(*protocol->elapsed(), time, 1e-9);
    EXPECT_EQ(steps_of(*protocol), in_time);
    for (const Learner* learner : protocol->learners()) {
      EXPECT_EQ(learner->ledger().entries().front().count, learner->steps());
    }
  }
}

/// 20,000 visits, 5.5 deviations: false alarm below 1e-7.
TEST(SkipRingProtocol, SkipsAtTheRateAskedFor) {
  const testing::SmallTask small(10, 1);
  const auto protocol = ring(small, {{"latency", "lognormal"}, {"skip_probability", 0.3}});
  testing::train(*protocol, small.start.size(), 2000);
  EXPECT_NEAR(static_cast<double>(sum(steps_of(*protocol))) / 20000, 0.7, 5.5 * std::sqrt(0.3 * 0.7 / 20000));
}

TEST(SkipRingProtocol, HasNoClockWithoutALaw) {
  const testing::SmallTask small(3);
  const auto protocol = ring(small, {});
  EXPECT_FALSE(protocol->elapsed().has_value());
}

TEST(RingOrder, IsARandomPermutationOfEveryLap) {
  const RingOrder order(6, true, 7, 0);
  std::set<std::vector<NodeId>> laps;
  for (std::uint64_t lap = 0; lap < 50; ++lap) {
    std::vector<NodeId> turns;
    for (std::uint64_t i = 0; i < 6; ++i) turns.push_back(order.at(6 * lap + i));
    laps.insert(turns);
    std::ranges::sort(turns);
    EXPECT_THAT(turns, ElementsAre(0, 1, 2, 3, 4, 5));
  }
  EXPECT_GT(laps.size(), 35U);  // 50 draws out of 720; fewer than 36 different ones: below 1e-9
}

/// In a random order the last of a lap may be the first of the next: the model then stays where it is.
TEST(SkipRingProtocol, ARandomOrderGivesEveryNodeOneTurnALap) {
  const testing::SmallTask small(2);
  const auto protocol = ring(small, {{"order", "random"}});
  testing::train(*protocol, small.start.size(), 25);
  EXPECT_THAT(steps_of(*protocol), ElementsAre(25, 25));
}

TEST(SkipRingProtocol, OneNodeAloneMakesEveryVisit) {
  const testing::SmallTask small(1);
  const auto protocol = ring(small, {{"learning_rate", 0.5}});
  const std::vector<double> state = testing::train(*protocol, small.start.size(), 4);
  const std::vector<double> expected = by_hand(small, 4, 0.5, 0);
  for (std::size_t i = 0; i < state.size(); ++i) EXPECT_NEAR(state[i], expected[i], 1e-12);
}

const Json kRich = {
    {"learning_rate", 0.4}, {"latency", "exponential"}, {"skip_probability", 0.2}, {"order", "random"},
    {"batch", 2},           {"draw", "fixed"},          {"visits_per_round", 3},   {"diameter", 4}};

TEST(SkipRingProtocol, IsTheSameToTheBitForAnyNumberOfThreads) {
  const testing::SmallTask small(7);
  std::vector<std::vector<double>> states;
  for (const std::size_t threads : {1U, 2U, 4U}) {
    set_thread_count(threads);
    states.push_back(testing::train(*ring(small, kRich, noisy(1)), small.start.size(), 9));
  }
  set_thread_count(0);
  EXPECT_EQ(states[0], states[1]);
  EXPECT_EQ(states[0], states[2]);
}

/// Messages may be under way at a checkpoint: the network and the participants are saved together.
TEST(SkipRingProtocol, GoesOnFromACheckpointToTheBit) {
  const testing::SmallTask small(7);
  FaultOptions faults;
  faults.loss = 0.3;
  for (const bool faulty : {false, true}) {
    const auto run = [&](Round until, std::string* sealed, const std::string* from) {
      const auto protocol = ring(small, kRich, noisy(1));
      LocalNetwork network(protocol->topology(), protocol->participants());
      if (faulty) network.suffer(faults, 1, 0);
      if (from != nullptr) {
        StateReader in(*from, "memory");
        protocol->load(in);
        network.load(in);
        in.finish();
      }
      network.run(until - network.next_round());
      StateWriter out;
      protocol->save(out);
      network.save(out);
      *sealed = out.sealed();
    };
    std::string whole, part, resumed;
    run(60, &whole, nullptr);
    for (const Round stop : {1U, 3U, 21U, 22U, 41U}) {
      run(stop, &part, nullptr);
      run(60, &resumed, &part);
      EXPECT_EQ(whole, resumed);
    }
  }
}

/// What a network of such faults leaves: no visit is made twice, and the model says how often it was updated.
void check_after_faults(const FaultOptions& faults, bool random, std::size_t nodes, std::uint64_t least) {
  const testing::SmallTask small(nodes);
  const auto protocol = ring(small, {{"order", random ? "random" : "fixed"}, {"visits_per_round", 1}});
  LocalNetwork network(protocol->topology(), protocol->participants());
  network.suffer(faults, 5, 0);
  network.run(1200);
  std::uint64_t visits = 0;
  double updates = 0;
  for (Participant* participant : protocol->participants()) {
    const auto token = dynamic_cast<SkipRingNode&>(*participant).token();
    if (token.empty() || RingToken::visit_of(token) < visits) continue;
    visits = RingToken::visit_of(token);
    updates = token[token.size() - 3];
  }
  EXPECT_GE(visits, least);
  EXPECT_LE(sum(steps_of(*protocol)), visits);  // every number at most once
  EXPECT_GE(static_cast<double>(sum(steps_of(*protocol))), updates);
  for (const std::uint64_t steps : steps_of(*protocol)) EXPECT_LE(steps, visits / nodes + 1);
}

TEST(SkipRingProtocol, ALostTokenIsSentAgainAndNothingIsDoubled) {
  for (const bool random : {false, true}) {
    for (const std::size_t nodes : {2U, 3U, 9U}) {
      FaultOptions loss;
      loss.loss = 0.3;
      check_after_faults(loss, random, nodes, 400);
      FaultOptions late;
      late.delay = 1.5;
      check_after_faults(late, random, nodes, 100);
      FaultOptions everything;
      everything.loss = 0.2;
      everything.delay = 0.5;
      everything.straggler = 0.2;
      everything.crash = 0.02;
      everything.comeback = 0.3;
      check_after_faults(everything, random, nodes, 100);
    }
  }
}

TEST(SkipRingProtocol, ANodeThatIsDownForGoodIsPassedOver) {
  FaultOptions crash;
  crash.crash = 0.002;  // about half of nine nodes in the end, the holder of the model perhaps among them
  check_after_faults(crash, false, 9, 1);
  FaultOptions silence;
  silence.loss = 1;
  check_after_faults(silence, false, 4, 1);
}

/// Nobody hears anything: the first holder goes through the ring until the turn is its own again.
TEST(SkipRingProtocol, WithoutAnyLinkTheFirstNodeLearnsAlone) {
  const testing::SmallTask small(3);
  const auto protocol = ring(small, {{"attempts", 1}, {"visits_per_round", 1}});
  LocalNetwork network(protocol->topology(), protocol->participants());
  FaultOptions silence;
  silence.loss = 1;
  network.suffer(silence, 1, 0);
  network.run(60);
  EXPECT_GT(steps_of(*protocol)[0], 5U);
  EXPECT_EQ(sum(steps_of(*protocol)), steps_of(*protocol)[0]);
}

TEST(SkipRingProtocol, AnExhaustedNodePassesTheModelOnUnchanged) {
  const testing::SmallTask small(3);
  const double once = *noisy(4).mechanism->statement(1).epsilon;
  const double twice = *noisy(4).mechanism->statement(2).epsilon;
  const auto protocol = ring(small, {{"latency", "exponential"}}, noisy(4, (once + twice) / 2));
  const std::vector<double> after = testing::train(*protocol, small.start.size(), 1);
  const auto longer = ring(small, {{"latency", "exponential"}}, noisy(4, (once + twice) / 2));
  EXPECT_EQ(testing::train(*longer, small.start.size(), 5), after);
  EXPECT_THAT(steps_of(*longer), ElementsAre(1, 1, 1));
  EXPECT_GT(*longer->elapsed(), *protocol->elapsed());
}

TEST(SkipRingProtocol, StatesTheTheoremsBoundBesideTheLedger) {
  const testing::SmallTask small(4);
  const Settings settings =
      testing::settings_of(skip_ring_component(), {{"rounds", 5}, {"visits_per_round", 6}});
  EXPECT_EQ(skip_ring_component().steps(settings, 4, 4), 8U);  // 30 visits of 4 nodes
  const auto planned = planned_ring(settings, noisy(2), 4, small.start.size());
  EXPECT_EQ(planned->visits, 30U);
  EXPECT_DOUBLE_EQ(planned->sigma, 2);
  EXPECT_DOUBLE_EQ(planned->clip, 1);
  const auto loud = skip_ring_component().make(settings, small.parts(noisy(0.1)));
  ASSERT_EQ(loud->warnings().size(), 1U);
  EXPECT_THAT(loud->warnings()[0], HasSubstr("30 visits"));
  EXPECT_TRUE(loud->public_facts().contains("network_privacy"));
  EXPECT_TRUE(skip_ring_component().make(settings, small.parts(noisy(20)))->warnings().empty());
  EXPECT_FALSE(
      skip_ring_component().make(settings, small.parts())->public_facts().contains("network_privacy"));
}

}  // namespace
}  // namespace earshot
