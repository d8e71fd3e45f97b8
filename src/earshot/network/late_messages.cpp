#include "earshot/network/late_messages.hpp"

#include <algorithm>

namespace earshot {

void LateMessages::enter(Round round, const Graph& graph, FaultLaw& law) {
  FaultReport& report = law.report();
  for (NodeId node = 0; node < waiting_.size(); ++node) {
    std::vector<Message>& waiting = waiting_[node];
    std::vector<Message>& due = due_[node];
    due.clear();
    const auto arrives = [&](const Message& message) { return message.due > round; };
    const auto first = std::stable_partition(waiting.begin(), waiting.end(), arrives);
    for (auto message = first; message != waiting.end(); ++message) {
      const bool reachable = !law.down(node) && graph.has_edge(node, message->from);
      if (reachable) {
        due.push_back(std::move(*message));
      } else {
        ++report.lost;
      }
    }
    waiting.erase(first, waiting.end());
    // Newest first, so that the newest of each sender is the one that is kept.
    std::ranges::sort(due, [](const Message& a, const Message& b) {
      return a.from != b.from ? a.from < b.from : a.said > b.said;
    });
    const auto older = std::unique(due.begin(), due.end(),
                                   [](const Message& a, const Message& b) { return a.from == b.from; });
    report.superseded += static_cast<std::size_t>(due.end() - older);
    due.erase(older, due.end());
  }
}

const LateMessages::Message* LateMessages::due(NodeId node, NodeId from) const {
  const auto found = std::ranges::lower_bound(due_[node], from, {}, &Message::from);
  return found != due_[node].end() && found->from == from ? &*found : nullptr;
}

void LateMessages::heard(NodeId node, NodeId from, Round said, FaultReport& report) {
  if (reorder_) return;
  report.superseded += std::erase_if(
      waiting_[node], [&](const Message& message) { return message.from == from && message.said < said; });
}

void LateMessages::save(StateWriter& out) const {
  for (const std::vector<Message>& waiting : waiting_) {
    out.number(waiting.size());
    for (const Message& message : waiting) {
      out.number(message.from);
      out.number(message.said);
      out.number(message.due);
      out.reals(*message.payload);
    }
  }
}

void LateMessages::load(StateReader& in) {
  for (std::vector<Message>& waiting : waiting_) {
    waiting.clear();
    for (std::uint64_t left = in.number(); left > 0; --left) {
      Message message;
      message.from = static_cast<NodeId>(in.number());
      message.said = static_cast<Round>(in.number());
      message.due = static_cast<Round>(in.number());
      message.payload = std::make_shared<const std::vector<double>>(in.reals());
      waiting.push_back(std::move(message));
    }
  }
}

}  // namespace earshot
