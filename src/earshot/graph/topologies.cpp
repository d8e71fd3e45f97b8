#include "earshot/graph/topologies.hpp"

#include <iterator>

#include "earshot/graph/topology_families.hpp"

namespace earshot {

std::span<const GraphComponent> graph_components() {
  static const std::vector<GraphComponent> all = [] {
    std::vector<GraphComponent> joined = regular_topologies();
    for (auto family : {random_topologies(), published_topologies()})
      joined.insert(joined.end(), std::make_move_iterator(family.begin()),
                    std::make_move_iterator(family.end()));
    return joined;
  }();
  return all;
}

}  // namespace earshot
