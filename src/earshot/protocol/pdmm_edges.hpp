// The auxiliary variables z on one node's edges: how ADMM and PDMM turn a node's w into messages, and what it
// hears into the next subproblem.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "earshot/graph/edge_sign.hpp"
#include "earshot/network/participant.hpp"
#include "earshot/protocol/quantiser.hpp"

namespace earshot {

struct EdgeOptions {
  double rho = 0.4;  // penalty
  double theta = 1;  // averaging: 1 is PDMM, 1/2 is ADMM
  bool differential = false;
  Quantiser quantiser{0, 1};  // of differential messages
  /// Quantise differences of the unquantised z, whose errors the receiver adds up; otherwise the sender
  /// follows what the receiver has.
  bool open_loop = false;
};

/// z_{i|j} (held by node i, made by j) and z_{j|i} (made by i) for every neighbour j of node i. A node that
/// is awake makes, after Sherson, Heusdens & Kleijn 2019,
///   z_{j|i} <- (1 - theta) z_{j|i} + theta (z_{i|j} + 2 rho B_{i|j} w_i).
/// z^(0) reaches both ends before the first round by a channel nobody overhears.
class EdgeVariables {
 public:
  virtual ~EdgeVariables() = default;

  std::size_t degree() const { return signs_.size(); }
  double rho() const { return options_.rho; }
  /// z_{j|i} for the j of this slot, as far as the sender knows what the receiver has.
  std::span<const double> made(std::size_t slot) const {
    return std::span(made_).subspan(slot * size_, size_);
  }
  /// out = sum_j B_{i|j} z_{i|j}.
  void signed_sum(std::span<double> out) const;

  /// Makes the messages of a node that is awake and has solved for `w`. `round` numbers rounds of training.
  virtual void speak(std::uint64_t round, std::span<const double> w, Outbox& out) = 0;
  /// `w` and `awake` as when the node spoke in this exchange. Silence leaves z_{i|j} as it is.
  virtual void listen(std::span<const double> w, bool awake, const Inbox& in) = 0;

  void save(StateWriter& out) const;
  void load(StateReader& in);

 protected:
  /// `held` and `made` are degree x `size`: z^(0) in the order of the neighbours.
  EdgeVariables(const EdgeOptions& options, std::vector<double> signs, std::vector<double> held,
                std::vector<double> made, std::size_t size);
  std::span<double> of_slot(std::vector<double>& all, std::size_t slot) const {
    return std::span(all).subspan(slot * size_, size_);
  }

  EdgeOptions options_;
  std::vector<double> signs_;
  std::size_t size_;
  std::vector<double> held_;  // z_{i|j}
  std::vector<double> made_;  // z_{j|i}, as far as the sender knows what the receiver has
};

/// `neighbours` of `node`, ascending; every z^(0) is normal with this deviation and addressed by both ends.
struct EdgeStart {
  std::uint64_t seed = 1;
  std::uint64_t trial = 0;
  double deviation = 0;
};
std::unique_ptr<EdgeVariables> make_edges(const EdgeOptions& options, const EdgeStart& start, NodeId node,
                                          std::span<const NodeId> neighbours, std::size_t size);

}  // namespace earshot
