#include "earshot/attack/leak/public_facts.hpp"

#include <algorithm>
#include <vector>

namespace earshot {

std::size_t records_of_node(const PublicKnowledge& told, NodeId node) {
  const auto records = fact<std::vector<std::size_t>>(told, "records");
  if (node >= records.size() || records[node] == 0)
    fail(Fault::kData, fmt::format("the view does not tell how many records node {} has", node));
  return records[node];
}

bool moves_before_talking(const PublicKnowledge& told) {
  return fact<std::string>(told, "sent", "the state after the node's own step") != "the state before it";
}

std::size_t records_of_step(const PublicKnowledge& told, NodeId node) {
  const std::size_t records = records_of_node(told, node);
  const auto batch = fact<std::size_t>(told, "batch", 0);
  return batch == 0 ? records : std::min(batch, records);
}

}  // namespace earshot
