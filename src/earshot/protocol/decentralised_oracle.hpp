// Decentralised averaging written with dense matrices: the oracle of the participants.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <vector>

#include "earshot/graph/gossip_matrix.hpp"
#include "earshot/protocol/test_setting.hpp"

namespace earshot::testing {

enum class Order { kAdaptFirst, kCombineFirst };

/// A message from one node to another that does not arrive.
using Loss = std::function<bool(NodeId from, NodeId to)>;

/// W as a dense matrix; the weight of a lost message stays with who did not hear it.
inline Eigen::MatrixXd dense(const GossipMatrix& matrix, const Loss& lost = {}) {
  const auto n = static_cast<Eigen::Index>(matrix.node_count());
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(n, n);
  for (NodeId u = 0; u < matrix.node_count(); ++u) {
    out(u, u) += matrix.self_weight(u);
    const auto neighbours = matrix.graph().neighbours(u);
    for (std::size_t i = 0; i < neighbours.size(); ++i) {
      const NodeId from = neighbours[i];
      out(u, lost && lost(from, u) ? u : from) += matrix.weights(u)[i];
    }
  }
  return out;
}

/// A row per node. `change` may alter what a node's own steps add up to, for instance clip it.
class MatrixForm {
 public:
  using Change = std::function<void(NodeId, Eigen::RowVectorXd&)>;

  MatrixForm(const SmallTask& small, Order order, double learning_rate, std::size_t local_steps = 1)
      : small_(small), order_(order), learning_rate_(learning_rate), local_steps_(local_steps) {
    states_.resize(static_cast<Eigen::Index>(small.shards.size()),
                   static_cast<Eigen::Index>(small.start.size()));
    for (Eigen::Index v = 0; v < states_.rows(); ++v) {
      states_.row(v) = Eigen::Map<const Eigen::RowVectorXd>(small.start.data(), states_.cols());
    }
  }

  /// One round of training with one matrix per gossip step and Chebyshev's omega for each of them.
  void round(const std::vector<Eigen::MatrixXd>& mixing, const Change& change = {},
             const std::vector<double>& omega = {}) {
    const Eigen::MatrixXd steps = own_steps(change);
    if (order_ == Order::kAdaptFirst) states_ += steps;
    Eigen::MatrixXd previous = states_;
    for (std::size_t i = 0; i < mixing.size(); ++i) {
      const double w = omega.empty() ? 1.0 : omega[i];
      const Eigen::MatrixXd next = w * mixing[i] * states_ + (1 - w) * previous;
      previous = states_;
      states_ = next;
    }
    if (order_ == Order::kCombineFirst) states_ += steps;
  }

  /// What each node's own gradient steps would add up to now.
  Eigen::MatrixXd own_steps(const Change& change = {}) const {
    Eigen::MatrixXd out(states_.rows(), states_.cols());
    for (Eigen::Index v = 0; v < states_.rows(); ++v) {
      std::vector<double> at = state(static_cast<NodeId>(v));
      std::vector<double> gradient(at.size());
      for (std::size_t k = 0; k < local_steps_; ++k) {
        small_.task->gradient(at, {small_.shards[static_cast<std::size_t>(v)]}, gradient);
        for (std::size_t i = 0; i < at.size(); ++i) at[i] -= learning_rate_ * gradient[i];
      }
      Eigen::RowVectorXd step =
          Eigen::Map<const Eigen::RowVectorXd>(at.data(), states_.cols()) - states_.row(v);
      if (change) change(static_cast<NodeId>(v), step);
      out.row(v) = step;
    }
    return out;
  }

  std::vector<double> state(NodeId node) const {
    const Eigen::RowVectorXd row = states_.row(node);
    return {row.begin(), row.end()};
  }
  void set_state(NodeId node, std::span<const double> state) {
    states_.row(node) = Eigen::Map<const Eigen::RowVectorXd>(state.data(), states_.cols());
  }

 private:
  const SmallTask& small_;
  Order order_;
  double learning_rate_;
  std::size_t local_steps_;
  Eigen::MatrixXd states_;
};

}  // namespace earshot::testing
