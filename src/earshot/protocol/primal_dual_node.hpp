// One node of ADMM or PDMM: when it is awake it solves its subproblem and tells every neighbour something
// else.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "earshot/network/participant.hpp"
#include "earshot/protocol/pdmm_edges.hpp"
#include "earshot/protocol/primal_dual_update.hpp"

namespace earshot {

/// Who works in which exchange.
enum class Activation {
  kAll,
  kRandomOne,    // one node, drawn anew; as many exchanges as nodes make a round of training
  kProbability,  // every node by chance
  kServer        // the learning nodes, then the server, which is the last node
};

struct Schedule {
  Activation activation = Activation::kAll;
  double probability = 1;
  std::size_t nodes = 0;
  std::uint64_t seed = 1;
  std::uint64_t trial = 0;

  /// Exchanges that make one round of training.
  Round exchanges() const;
  bool awake(NodeId node, Round exchange) const;
};

/// What the nodes of one network have in common.
struct PrimalDualCommon {
  PrimalDualCommon(const Schedule& s, const PrimalUpdateOptions& update, std::size_t parameters)
      : schedule(s), updater(update, parameters) {}
  Schedule schedule;
  PrimalUpdater updater;
};

class PrimalDualNode : public Participant {
 public:
  /// `common` must outlive the node; `learner` is empty for a node without records. `scale` times the mean
  /// loss over the learner's records is f_i.
  PrimalDualNode(PrimalDualCommon& common, NodeId node, std::unique_ptr<EdgeVariables> edges,
                 std::unique_ptr<Learner> learner, double scale, std::vector<double> start);

  void speak(Round round, Outbox& out) override;
  void listen(Round round, const Inbox& in) override;
  void save(StateWriter& out) const override;
  void load(StateReader& in) override;

  /// None for a server.
  Learner* learner() const { return learner_.get(); }
  double scale() const { return scale_; }
  const EdgeVariables& edges() const { return *edges_; }
  /// w_i, then running statistics, which stay at home.
  std::span<const double> state() const { return state_; }

 private:
  void require_bounded(Round round) const;

  PrimalDualCommon& common_;
  NodeId node_;
  std::unique_ptr<EdgeVariables> edges_;
  std::unique_ptr<Learner> learner_;
  double scale_;
  std::vector<double> state_;
};

}  // namespace earshot
