// Who can talk to whom in each round.
#pragma once

#include "earshot/graph/graph.hpp"
#include "earshot/network/participant.hpp"

namespace earshot {

class Topology {
 public:
  virtual ~Topology() = default;
  /// Called before every round, from one thread. Rounds may be entered in any order (a resumed run starts in
  /// the middle), so what is random is addressed by the round.
  virtual void enter(Round round) = 0;
  /// Of the round entered last. The number of nodes never changes.
  virtual const Graph& graph() const = 0;
  /// Whether the graph is the same in every round, so that nothing need be prepared anew.
  virtual bool fixed() const { return false; }
};

class FixedTopology : public Topology {
 public:
  /// `graph` must outlive the topology.
  explicit FixedTopology(const Graph& graph) : graph_(graph) {}
  void enter(Round) override {}
  const Graph& graph() const override { return graph_; }
  bool fixed() const override { return true; }

 private:
  const Graph& graph_;
};

}  // namespace earshot
