// What a view shows of the auxiliary variables of ADMM and PDMM: their changes, and their values where z^(0)
// is known.
#pragma once

#include <Eigen/Core>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "earshot/attack/leak/primal_dual_facts.hpp"

namespace earshot {

/// z_{i|j} is held by i and made by j, who tells it, or its changes, to i. Times are exchanges: "before r"
/// means after everything that was said in exchanges below r. Nothing here is an estimate: what is not heard
/// is not answered.
class PrimalDualTranscript {
 public:
  /// Of the exchanges below `until`. The view must outlive the transcript. Refuses late messages, and
  /// messages of different lengths. Where given, `read` gathers the messages that answers came from.
  PrimalDualTranscript(const View& view, PrimalDualFacts facts,
                       Round until = std::numeric_limits<Round>::max(), MessageKeys* read = nullptr);

  const PrimalDualFacts& facts() const { return facts_; }
  const Graph& network() const { return facts_.network; }
  Eigen::Index size() const { return size_; }
  /// Of the adversary: it knows what this node knew.
  bool member(NodeId node) const;
  std::span<const NodeId> members() const { return view_.adversary().colluding; }

  /// Exchanges in which the node worked; empty when nothing of it is heard.
  std::span<const Round> steps(NodeId node) const;
  /// Number of its last step in an exchange up to `at`, or of the first one if that comes later.
  std::optional<std::size_t> step_at(NodeId node, Round at) const;
  std::uint64_t training_round(Round exchange) const { return exchange / facts_.exchanges + 1; }

  /// Whether `change` and `value` have an answer; neither reads a message.
  bool knows_change(NodeId holder, NodeId maker, Round from, Round to) const;
  bool knows_value(NodeId holder, NodeId maker, Round at) const;
  /// What z_{holder|maker} changed from before `from` to before `to`, which may be earlier.
  std::optional<Eigen::VectorXd> change(NodeId holder, NodeId maker, Round from, Round to) const;
  /// z_{holder|maker} before `at`.
  std::optional<Eigen::VectorXd> value(NodeId holder, NodeId maker, Round at) const;
  /// The same for sum_j B_{i|j} z_{i|j} over all neighbours j of the node.
  std::optional<Eigen::VectorXd> dual_change(NodeId node, Round from, Round to) const;
  std::optional<Eigen::VectorXd> dual(NodeId node, Round at) const;

 private:
  using Link = std::pair<NodeId, NodeId>;  // from, to
  struct Said {
    Link link;
    std::vector<Round> when;
    std::vector<std::span<const double>> what;     // empty where the message was not kept
    std::optional<std::span<const double>> start;  // z^(0), where it is known
    std::size_t before(Round at) const;            // how many messages
  };
  void listen_to(const View& view, Round until);
  void listen(const Overheard& heard);
  Said& link_of(NodeId from, std::optional<NodeId> to);
  void take_starts();
  const Said* said(NodeId holder, NodeId maker) const;
  static bool all_kept(const Said& said, std::size_t first, std::size_t end);
  Eigen::Map<const Eigen::VectorXd> message(const Said& said, std::size_t i) const;
  template <class OfNeighbour>
  std::optional<Eigen::VectorXd> signed_sum(NodeId node, const OfNeighbour& of_neighbour) const;

  const View& view_;
  PrimalDualFacts facts_;
  Eigen::Index size_ = 0;
  std::map<Link, Said> links_;  // all that are heard, also if nothing was said
  std::vector<double> zero_;    // what starts at zero starts here
  MessageKeys* read_;
};

}  // namespace earshot
