#include "earshot/network/local_network.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "earshot/core/parallel.hpp"

namespace earshot {
namespace {

/// Says its own id and the round to everyone, something else to its first neighbour, and keeps what it hears.
class Chatter : public Participant {
 public:
  Chatter(double id, std::vector<std::vector<double>>& log) : id_(id), log_(log) {}
  void speak(Round round, Outbox& out) override {
    if (id_ == 3) return;  // silent
    said_[round % 2] = {id_, static_cast<double>(round)};
    out.broadcast(said_[round % 2]);
    if (id_ == 1) out.send(0, aside_);
  }
  void listen(Round, const Inbox& in) override {
    for (std::size_t i = 0; i < in.size(); ++i) log_.emplace_back(in.from(i).begin(), in.from(i).end());
  }

  void save(StateWriter&) const override {}
  void load(StateReader&) override {}

 private:
  double id_;
  std::vector<std::vector<double>>& log_;
  std::vector<double> said_[2];
  std::vector<double> aside_ = {-1.0};
};

class Ear : public Observer {
 public:
  void on_broadcast(Round, NodeId from, const Audience&, std::span<const double>) override {
    ++broadcasts[from];
  }
  void on_message(Round, NodeId from, NodeId to, std::span<const double> message) override {
    singles.emplace_back(from, to);
    EXPECT_EQ(message[0], -1.0);
  }
  std::map<NodeId, int> broadcasts;
  std::vector<std::pair<NodeId, NodeId>> singles;
};

using Logs = std::vector<std::vector<std::vector<double>>>;

Logs run_path(std::size_t threads, Ear* ear) {
  set_thread_count(threads);
  const std::vector<Edge> edges = {{0, 1}, {1, 2}, {2, 3}};
  const Graph graph(4, edges);
  Logs logs(4);
  std::deque<Chatter> nodes;
  std::vector<Participant*> participants;
  for (std::size_t i = 0; i < 4; ++i)
    participants.push_back(&nodes.emplace_back(static_cast<double>(i), logs[i]));
  FixedTopology topology(graph);
  LocalNetwork network(topology, participants);
  if (ear != nullptr) network.attach(*ear);
  network.run(1);
  network.run(1);
  return logs;
}

TEST(LocalNetwork, DeliversToNeighboursOnlyAndInOrder) {
  const Logs logs = run_path(1, nullptr);
  EXPECT_EQ(logs[0], (std::vector<std::vector<double>>{{-1}, {-1}}));
  EXPECT_EQ(logs[1], (std::vector<std::vector<double>>{{0, 0}, {2, 0}, {0, 1}, {2, 1}}));
  EXPECT_EQ(logs[2], (std::vector<std::vector<double>>{{1, 0}, {}, {1, 1}, {}}));
  EXPECT_EQ(logs[3], (std::vector<std::vector<double>>{{2, 0}, {2, 1}}));
}

TEST(LocalNetwork, SameResultForAnyThreadCount) {
  EXPECT_EQ(run_path(1, nullptr), run_path(2, nullptr));
  set_thread_count(0);
}

TEST(LocalNetwork, ObserversHearBroadcastsAndSingleMessages) {
  Ear ear;
  run_path(1, &ear);
  EXPECT_EQ(ear.broadcasts, (std::map<NodeId, int>{{0, 2}, {1, 2}, {2, 2}}));
  EXPECT_EQ(ear.singles, (std::vector<std::pair<NodeId, NodeId>>{{1, 0}, {1, 0}}));
}

/// Composes its reply; the hub adds up what it hears, and says how much that was before.
class Client : public Participant {
 public:
  explicit Client(double value) : value_(value) {}
  void speak(Round, Outbox& out) override {
    const auto reply = out.compose(3);
    std::ranges::fill(reply, value_);
    out.broadcast(reply);
  }
  void listen(Round, const Inbox& in) override { heard.push_back(in.from(0)[0]); }
  void save(StateWriter&) const override {}
  void load(StateReader&) override {}
  std::vector<double> heard;

 private:
  double value_;
};

class Hub : public Participant {
 public:
  Hearing hearing() const override { return Hearing::kOneByOne; }
  void speak(Round, Outbox& out) override { out.broadcast(total); }
  void listen(Round, const Inbox& in) override {
    ASSERT_EQ(in.size(), 1U);
    EXPECT_EQ(in.from(0)[2], static_cast<double>(in.neighbour(0)));
    order.push_back(in.neighbour(0));
    memory.insert(in.from(0).data());
    next[0] += in.from(0)[0];
  }
  void finish(Round) override { total = next; }
  void save(StateWriter&) const override {}
  void load(StateReader&) override {}
  std::vector<double> total = {0.5}, next = {0.5};
  std::vector<std::size_t> order;
  std::set<const double*> memory;
};

TEST(LocalNetwork, AHubHearsRepliesInOrderFromAFewBuffers) {
  for (const WirePrecision precision : {WirePrecision::kDouble, WirePrecision::kSingle}) {
    constexpr NodeId kClients = 150;
    std::vector<Edge> edges;
    for (NodeId i = 0; i < kClients; ++i) edges.emplace_back(i, kClients);
    const Graph star(kClients + 1, edges);
    std::deque<Client> clients;
    Hub hub;
    std::vector<Participant*> participants;
    for (NodeId i = 0; i < kClients; ++i) participants.push_back(&clients.emplace_back(1.0 * i));
    participants.push_back(&hub);
    FixedTopology topology(star);
    LocalNetwork network(topology, participants, precision);
    network.run(2);
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < 2 * kClients; ++i) order.push_back(i % kClients);
    EXPECT_EQ(hub.order, order);
    EXPECT_LE(hub.memory.size(), 32U);
    // The hub speaks before it hears, although it is the last node.
    const double sum = kClients * (kClients - 1) / 2.0;
    for (const Client& client : clients) EXPECT_EQ(client.heard, (std::vector<double>{0.5, 0.5 + sum}));
  }
}

/// Counts how often each coordinate is heard.
class PieceCounter : public Participant {
 public:
  explicit PieceCounter(std::size_t size) : said(size), count(size) {
    for (std::size_t i = 0; i < size; ++i) said[i] = static_cast<double>(i);
  }
  Hearing hearing() const override { return Hearing::kInPieces; }
  void speak(Round round, Outbox& out) override {
    if (round == 0) out.broadcast(said);
  }
  void listen(Round, const Inbox& in) override {
    ++pieces;
    for (double& c : in.stretch_of(std::span(count))) ++c;
    for (std::size_t i = 0; i < in.size(); ++i) {
      for (std::size_t k = 0; k < in.from(i).size(); ++k)
        wrong += in.from(i)[k] != static_cast<double>(in.offset() + k);
    }
  }
  void save(StateWriter&) const override {}
  void load(StateReader&) override {}
  std::vector<double> said, count;
  std::size_t pieces = 0, wrong = 0;
};

TEST(LocalNetwork, PiecesCoverEveryCoordinateOnce) {
  const std::vector<Edge> edges = {{0, 1}, {1, 2}};
  const Graph graph(3, edges);
  constexpr std::size_t kSize = 800'000;
  std::deque<PieceCounter> nodes;
  std::vector<Participant*> participants;
  // The last node's own vector is shorter, and nobody speaks in the second round.
  for (const std::size_t size : {kSize, kSize, std::size_t{5}})
    participants.push_back(&nodes.emplace_back(size));
  FixedTopology topology(graph);
  LocalNetwork network(topology, participants);
  network.run(2);
  for (const PieceCounter& node : nodes) {
    EXPECT_EQ(node.wrong, 0U);
    EXPECT_GE(node.pieces, 4U);
    EXPECT_TRUE(std::ranges::all_of(node.count, [](double c) { return c == 2; }));
  }
}

/// A ring whose chord comes and goes, in the same place in memory.
class ChangingChord : public Topology {
 public:
  void enter(Round round) override {
    std::vector<Edge> edges = {{0, 1}, {1, 2}, {2, 3}};
    if (round % 2 == 1) edges.insert(edges.begin() + 1, {0, 3});
    graph_ = Graph(4, edges);
  }
  const Graph& graph() const override { return graph_; }

 private:
  Graph graph_;
};

TEST(LocalNetwork, FollowsAGraphThatChangesFromRoundToRound) {
  Logs logs(4);
  std::deque<Chatter> nodes;
  std::vector<Participant*> participants;
  for (std::size_t i = 0; i < 4; ++i)
    participants.push_back(&nodes.emplace_back(static_cast<double>(i), logs[i]));
  ChangingChord topology;
  LocalNetwork network(topology, participants);
  network.run(3);
  EXPECT_EQ(logs[3], (std::vector<std::vector<double>>{{2, 0}, {0, 1}, {2, 1}, {2, 2}}));
}

TEST(Outbox, SinglePrecisionWireRoundsEveryNumber) {
  const std::vector<NodeId> neighbours = {7};
  const std::vector<double> message = {0.1};
  Outbox out(neighbours);
  out.broadcast(message);
  out.round_to_single();
  EXPECT_EQ(out.message_for(0)[0], static_cast<double>(0.1F));
}

}  // namespace
}  // namespace earshot
