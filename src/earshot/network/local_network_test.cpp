#include "earshot/network/local_network.hpp"

#include <deque>
#include <map>

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
  void on_broadcast(Round, NodeId from, std::span<const NodeId>, std::span<const double>) override {
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
