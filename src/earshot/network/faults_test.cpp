#include "earshot/network/faults.hpp"

#include <cmath>
#include <deque>
#include <map>

#include <gtest/gtest.h>

#include "earshot/core/error.hpp"
#include "earshot/core/parallel.hpp"
#include "earshot/core/random.hpp"
#include "earshot/network/local_network.hpp"

namespace earshot {
namespace {

Graph ring(NodeId nodes) {
  std::vector<Edge> edges;
  for (NodeId i = 0; i + 1 < nodes; ++i) edges.emplace_back(i, i + 1);
  edges.emplace_back(0, nodes - 1);
  return Graph(nodes, edges);
}

std::vector<std::size_t> reverse_slots(const Graph& graph) {
  std::vector<std::size_t> reverse;
  for (NodeId node = 0; node < graph.node_count(); ++node) {
    for (const NodeId other : graph.neighbours(node))
      reverse.push_back(graph.first_slot(other) + *graph.position(other, node));
  }
  return reverse;
}

/// Calls look(round, law) after every round of a ring is drawn.
template <class Look>
FaultReport draw(const FaultOptions& options, NodeId nodes, Round rounds, const Look& look) {
  const Graph graph = ring(nodes);
  const auto reverse = reverse_slots(graph);
  FaultLaw law(options, 3, 0, nodes);
  for (Round round = 0; round < rounds; ++round) {
    law.enter(round, graph, reverse);
    look(round, law, reverse);
  }
  return law.report();
}

constexpr NodeId kNodes = 400;
constexpr Round kRounds = 50;
constexpr double kSlots = 2.0 * kNodes * kRounds;
/// A normal variable is this many standard deviations off with probability 2e-9.
constexpr double kSigmas = 6;

TEST(FaultLaw, LosesAndDelaysAtTheGivenRates) {
  FaultOptions options;
  options.loss = 0.3;
  options.delay = 1.5;
  double lost = 0, late = 0, prompt = 0;
  draw(options, kNodes, kRounds, [&](Round, const FaultLaw& law, std::span<const std::size_t> reverse) {
    for (std::size_t slot = 0; slot < reverse.size(); ++slot) {
      lost += law.fate(slot).lost;
      late += law.fate(slot).late;
      prompt += law.fate(slot).late == 0;
    }
  });
  EXPECT_NEAR(lost / kSlots, 0.3, kSigmas * std::sqrt(0.3 * 0.7 / kSlots));
  EXPECT_NEAR(late / kSlots, 1.5, kSigmas * std::sqrt(1.5 * 2.5 / kSlots));
  EXPECT_NEAR(prompt / kSlots, 0.4, kSigmas * std::sqrt(0.4 * 0.6 / kSlots));
}

TEST(FaultLaw, StragglersAreLateTowardsEverybody) {
  FaultOptions options;
  options.straggler = 0.2;
  double slow = 0;
  const Graph graph = ring(kNodes);
  draw(options, kNodes, kRounds, [&](Round, const FaultLaw& law, std::span<const std::size_t>) {
    for (NodeId node = 0; node < kNodes; ++node) {
      const Round late = law.fate(graph.first_slot(node)).late;
      EXPECT_LE(late, 1U);
      EXPECT_EQ(late, law.fate(graph.first_slot(node) + 1).late);
      slow += late;
    }
  });
  EXPECT_NEAR(slow / (kSlots / 2), 0.2, kSigmas * std::sqrt(0.2 * 0.8 / (kSlots / 2)));
}

TEST(FaultLaw, NodesCrashAndReturnAtTheGivenRates) {
  FaultOptions options;
  options.crash = 0.1;
  options.comeback = 0.4;
  double up = 0, crashes = 0, down = 0, returns = 0;
  std::vector<char> before(kNodes, 0);
  const FaultReport report =
      draw(options, kNodes, kRounds, [&](Round, const FaultLaw& law, std::span<const std::size_t>) {
        for (NodeId node = 0; node < kNodes; ++node) {
          (before[node] ? down : up) += 1;
          crashes += !before[node] && law.down(node);
          returns += before[node] && !law.down(node);
          before[node] = law.down(node);
        }
      });
  EXPECT_NEAR(crashes / up, 0.1, kSigmas * std::sqrt(0.1 * 0.9 / up));
  EXPECT_NEAR(returns / down, 0.4, kSigmas * std::sqrt(0.4 * 0.6 / down));
  EXPECT_EQ(report.crashes, crashes);
  double rounds_down = 0;
  for (const std::uint64_t rounds : report.rounds_down) rounds_down += static_cast<double>(rounds);
  EXPECT_EQ(rounds_down, down - returns + crashes);
}

TEST(FaultLaw, ALinkLosesBothDirectionsOnlyIfAsked) {
  FaultOptions options;
  options.loss = 0.3;
  for (const bool symmetric : {false, true}) {
    options.symmetric = symmetric;
    std::size_t differ = 0, lost = 0;
    draw(options, 50, 20, [&](Round, const FaultLaw& law, std::span<const std::size_t> reverse) {
      for (std::size_t slot = 0; slot < reverse.size(); ++slot) {
        differ += law.fate(slot).lost != law.fate(reverse[slot]).lost;
        lost += law.fate(slot).lost;
      }
    });
    EXPECT_EQ(differ == 0, symmetric);
    EXPECT_GT(lost, 0U);
  }
}

TEST(FaultLaw, RaisingOneRateLeavesTheOtherEventsAlone) {
  FaultOptions few, many;
  few.loss = 0.1;
  few.delay = many.delay = 1;
  many.loss = 0.5;
  many.straggler = 0;
  std::vector<FaultLaw::Fate> a, b;
  const auto keep = [](std::vector<FaultLaw::Fate>& out) {
    return [&out](Round, const FaultLaw& law, std::span<const std::size_t> reverse) {
      for (std::size_t slot = 0; slot < reverse.size(); ++slot) out.push_back(law.fate(slot));
    };
  };
  draw(few, 30, 10, keep(a));
  draw(many, 30, 10, keep(b));
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].late, b[i].late);
    EXPECT_TRUE(b[i].lost || !a[i].lost);
  }
}

/// What a node heard: (round, sender, round in which it was said).
using Log = std::vector<std::array<double, 3>>;

/// Says who it is and which round it is, and keeps what it hears.
class Talker : public Participant {
 public:
  Talker(const Graph& graph, NodeId node, Hearing hearing) : graph_(graph), node_(node), hearing_(hearing) {}
  Hearing hearing() const override { return hearing_; }
  void speak(Round round, Outbox& out) override {
    const auto message = out.compose(2);
    message[0] = node_;
    message[1] = round;
    out.broadcast(message);
  }
  void listen(Round round, const Inbox& in) override {
    for (std::size_t i = 0; i < in.size(); ++i) {
      const auto message = in.from(i);
      if (message.empty()) continue;
      EXPECT_EQ(message[0], graph_.neighbours(node_)[in.neighbour(i)]);
      EXPECT_EQ(message[1] + in.age(i), round);
      log.push_back({1.0 * round, message[0], message[1]});
    }
  }
  void finish(Round) override { ++finished; }
  void save(StateWriter&) const override {}
  void load(StateReader&) override {}

  Log log;
  Round finished = 0;

 private:
  const Graph& graph_;
  NodeId node_;
  Hearing hearing_;
};

struct Outcome {
  std::vector<Log> logs;
  FaultReport report;
  std::vector<Round> finished;
  bool operator==(const Outcome&) const = default;
};

/// Every third node hears one by one. In round `stop` the network is saved, and another one goes on.
Outcome talk(const Graph& graph, const FaultOptions& faults, Round rounds, Round stop = 0) {
  std::deque<Talker> nodes;
  std::vector<Participant*> participants;
  for (NodeId node = 0; node < graph.node_count(); ++node) {
    const Hearing hearing = node % 3 == 1 ? Hearing::kOneByOne : Hearing::kTogether;
    participants.push_back(&nodes.emplace_back(graph, node, hearing));
  }
  FixedTopology topology(graph);
  StateWriter saved;
  LocalNetwork first(topology, participants);
  first.suffer(faults, 8, 2);
  first.run(stop);
  first.save(saved);
  const std::string sealed = saved.sealed();
  StateReader reader(sealed, "test");
  LocalNetwork second(topology, participants);
  second.suffer(faults, 8, 2);
  second.load(reader);
  reader.finish();
  second.run(rounds - stop);
  Outcome out;
  for (const Talker& node : nodes) {
    out.logs.push_back(node.log);
    out.finished.push_back(node.finished);
  }
  if (second.fault_report() != nullptr) out.report = *second.fault_report();
  return out;
}

/// From the fates alone, without a network: for every link and round, which message is heard.
Outcome expected(const Graph& graph, const FaultOptions& faults, Round rounds) {
  const auto reverse = reverse_slots(graph);
  FaultLaw law(faults, 8, 2, graph.node_count());
  std::vector<std::vector<char>> down;
  std::vector<std::vector<FaultLaw::Fate>> fates;
  for (Round round = 0; round < rounds; ++round) {
    law.enter(round, graph, reverse);
    fates.emplace_back();
    down.emplace_back();
    for (std::size_t slot = 0; slot < reverse.size(); ++slot) fates.back().push_back(law.fate(slot));
    for (NodeId node = 0; node < graph.node_count(); ++node) down.back().push_back(law.down(node));
  }
  Outcome out;
  out.report.crashes = law.report().crashes;
  out.report.rounds_down = law.report().rounds_down;
  for (NodeId node = 0; node < graph.node_count(); ++node) {
    Log log;
    out.finished.push_back(0);
    for (Round round = 0; round < rounds; ++round) out.finished.back() += !down[round][node];
    for (const NodeId from : graph.neighbours(node)) {
      const std::size_t slot = graph.first_slot(from) + *graph.position(from, node);
      int newest = -1;
      for (Round round = 0; round < rounds; ++round) {
        int heard = -1;
        for (Round said = 0; said <= round; ++said) {
          if (down[said][from]) continue;
          if (said == round) {
            ++out.report.sent;
            out.report.lost += fates[said][slot].lost;
            out.report.delayed += !fates[said][slot].lost && fates[said][slot].late > 0;
          }
          if (fates[said][slot].lost || said + fates[said][slot].late != round) continue;
          if (down[round][node]) {
            ++out.report.lost;
            continue;
          }
          if (heard >= 0) ++out.report.superseded;
          heard = static_cast<int>(said);
        }
        if (heard < 0) continue;
        if (!faults.reorder && heard < newest) {
          ++out.report.superseded;
          continue;
        }
        newest = std::max(newest, heard);
        log.push_back({1.0 * round, 1.0 * from, 1.0 * heard});
      }
    }
    std::ranges::sort(log);
    out.logs.push_back(log);
  }
  return out;
}

FaultOptions everything(bool reorder) {
  FaultOptions faults;
  faults.loss = 0.2;
  faults.delay = 0.8;
  faults.reorder = reorder;
  faults.straggler = 0.1;
  faults.crash = 0.05;
  faults.comeback = 0.3;
  return faults;
}

Graph dense_ring() {
  std::vector<Edge> edges;
  for (NodeId i = 0; i < 40; ++i) {
    for (NodeId j = i + 1; j < 40; ++j)
      if ((j - i) % 7 < 2 || j - i == 39) edges.emplace_back(i, j);
  }
  return Graph(40, edges);
}

TEST(LocalNetworkFaults, DeliverExactlyWhatTheFatesSay) {
  const Graph graph = dense_ring();
  const Outcome got = talk(graph, everything(true), 30);
  const Outcome want = expected(graph, everything(true), 30);
  EXPECT_EQ(got.logs, want.logs);
  EXPECT_EQ(got.finished, want.finished);
  EXPECT_EQ(got.report, want.report);
  EXPECT_GT(got.report.superseded, 0U);
}

TEST(LocalNetworkFaults, WithoutReorderingNobodyHearsAnOlderMessageAfterANewerOne) {
  const Graph graph = dense_ring();
  const Outcome got = talk(graph, everything(false), 30);
  EXPECT_EQ(got.logs, expected(graph, everything(false), 30).logs);
  std::size_t out_of_order = 0;
  for (const bool reorder : {false, true}) {
    for (const Log& log : talk(graph, everything(reorder), 30).logs) {
      std::map<double, double> newest;
      for (const auto& [round, from, said] : log) {
        if (newest.contains(from) && said < newest[from]) {
          EXPECT_TRUE(reorder);
          ++out_of_order;
        }
        newest[from] = said;
      }
    }
  }
  EXPECT_GT(out_of_order, 0U);
}

TEST(LocalNetworkFaults, AreTheSameForAnyThreadCountAndAfterAResume) {
  const Graph graph = dense_ring();
  for (const bool reorder : {false, true}) {
    set_thread_count(1);
    const Outcome whole = talk(graph, everything(reorder), 20);
    set_thread_count(2);
    EXPECT_EQ(talk(graph, everything(reorder), 20), whole);
    set_thread_count(0);
    for (Round stop = 1; stop < 20; stop += 3) EXPECT_EQ(talk(graph, everything(reorder), 20, stop), whole);
  }
}

TEST(LocalNetworkFaults, LosingEverythingLeavesEverybodyAlone) {
  FaultOptions faults;
  faults.loss = 1;
  const Outcome got = talk(ring(12), faults, 5);
  for (const Log& log : got.logs) EXPECT_TRUE(log.empty());
  EXPECT_EQ(got.report.lost, 5U * 24U);
  EXPECT_EQ(got.finished, std::vector<Round>(12, 5));
}

TEST(LocalNetworkFaults, NobodyLeftStillEndsTheRun) {
  FaultOptions faults;
  faults.crash = 1;
  const Outcome got = talk(ring(12), faults, 5);
  EXPECT_EQ(got.report.rounds_down, std::vector<std::uint64_t>(12, 5));
  EXPECT_EQ(got.report.sent, 0U);
  EXPECT_EQ(got.finished, std::vector<Round>(12, 0));
}

/// Complete in even rounds, without edges in odd ones.
class Blinking : public Topology {
 public:
  void enter(Round round) override { now_ = round % 2 == 0 ? &whole_ : &none_; }
  const Graph& graph() const override { return *now_; }

 private:
  Graph whole_ = ring(3);
  Graph none_ = Graph(3, {});
  const Graph* now_ = &whole_;
};

TEST(LocalNetworkFaults, WhatArrivesFromAFormerNeighbourIsLost) {
  FaultOptions faults;
  faults.straggler = 1;
  const Graph graph = ring(3);
  std::deque<Talker> nodes;
  std::vector<Participant*> participants;
  for (NodeId node = 0; node < 3; ++node)
    participants.push_back(&nodes.emplace_back(graph, node, Hearing::kTogether));
  Blinking topology;
  LocalNetwork network(topology, participants);
  network.suffer(faults, 1, 0);
  network.run(4);
  for (const Talker& node : nodes) EXPECT_TRUE(node.log.empty());
  EXPECT_EQ(network.fault_report()->lost, 12U);
}

TEST(FaultsComponents, MakeWhatTheirSettingsSay) {
  for (const FaultsComponent& component : faults_components()) {
    std::vector<Problem> problems;
    const Settings settings = validate(
        component.schema, Json::object(), [](std::string_view key) { return std::string(key); }, problems);
    EXPECT_TRUE(problems.empty());
    EXPECT_FALSE(component.make(settings).any());
  }
  const Settings settings(Json{{"loss", 0.1},
                               {"symmetric", true},
                               {"delay", 2.0},
                               {"reorder", false},
                               {"straggler", 0.2},
                               {"crash", 0.3},
                               {"return", 0.4}});
  const FaultOptions made = faults_components()[1].make(settings);
  EXPECT_EQ(made.loss, 0.1);
  EXPECT_TRUE(made.symmetric);
  EXPECT_EQ(made.delay, 2.0);
  EXPECT_FALSE(made.reorder);
  EXPECT_EQ(made.straggler, 0.2);
  EXPECT_EQ(made.crash, 0.3);
  EXPECT_EQ(made.comeback, 0.4);
}

}  // namespace
}  // namespace earshot
