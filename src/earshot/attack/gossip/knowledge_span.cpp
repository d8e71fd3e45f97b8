#include "earshot/attack/gossip/knowledge_span.hpp"

#include <algorithm>

namespace earshot {

KnowledgeSpan::KnowledgeSpan(const ModularGossipMatrix& matrix, const Adversary& adversary)
    : matrix_(matrix),
      member_(matrix.graph().node_count(), false),
      basis_(matrix.field(), matrix.graph().node_count()),
      scratch_(matrix.graph().node_count()) {
  for (const NodeId node : adversary.colluding) member_[node] = true;
  for (const NodeId node : heard_nodes(matrix.graph(), adversary)) {
    active_.emplace_back(matrix.graph().node_count(), 0)[node] = 1;
  }
}

bool KnowledgeSpan::add_round() {
  if (!first_round_) advance_rows();
  first_round_ = false;
  const auto retired =
      std::remove_if(active_.begin(), active_.end(), [&](const auto& row) { return !basis_.insert(row); });
  active_.erase(retired, active_.end());
  return !active_.empty();
}

void KnowledgeSpan::advance_rows() {
  for (auto& row : active_) {
    matrix_.advance(row, scratch_);
    for (std::size_t column = 0; column < scratch_.size(); ++column) {
      if (member_[column]) scratch_[column] = 0;
    }
    row.swap(scratch_);
  }
}

}  // namespace earshot
