#include "earshot/threat/view.hpp"

#include <algorithm>

namespace earshot {
namespace {
bool contains(std::span<const NodeId> sorted, NodeId node) {
  return std::binary_search(sorted.begin(), sorted.end(), node);
}
}  // namespace

Recorder::Recorder(const Graph& graph, std::span<const Adversary> adversaries, PublicKnowledge told,
                   Round window)
    : told_(std::move(told)), window_(window), hearing_broadcasts_(graph.node_count()) {
  for (std::size_t i = 0; i < adversaries.size(); ++i) {
    views_.emplace_back(adversaries[i], told_);
    for (const NodeId node : heard_nodes(graph, adversaries[i])) hearing_broadcasts_[node].push_back(i);
    for (const NodeId node : adversaries[i].colluding) hearing_broadcasts_[node].push_back(i);
  }
}

void Recorder::on_broadcast(Round round, NodeId from, std::span<const NodeId>,
                            std::span<const double> message) {
  record(round, from, std::nullopt, message, hearing_broadcasts_[from]);
}

void Recorder::on_message(Round round, NodeId from, NodeId to, std::span<const double> message) {
  std::vector<std::size_t> listeners;
  for (std::size_t i = 0; i < views_.size(); ++i) {
    const Adversary& adversary = views_[i].adversary();
    const bool entitled = contains(adversary.colluding, from) || contains(adversary.colluding, to) ||
                          contains(adversary.tapped, from);
    if (entitled) listeners.push_back(i);
  }
  record(round, from, to, message, listeners);
}

void Recorder::record(Round round, NodeId from, std::optional<NodeId> to, std::span<const double> message,
                      std::span<const std::size_t> listeners) {
  if (round >= window_ || listeners.empty()) return;
  const std::vector<double>& kept = payloads_.emplace_back(message.begin(), message.end());
  for (const std::size_t i : listeners) {
    views_[i].messages_.push_back({round, from, to, kept});
    views_[i].rounds_ = round + 1;
  }
}

}  // namespace earshot
