// The three families the table of topologies is put together from.
#pragma once

#include <vector>

#include "earshot/graph/topologies.hpp"

namespace earshot {

std::vector<GraphComponent> regular_topologies();
std::vector<GraphComponent> random_topologies();
std::vector<GraphComponent> published_topologies();

}  // namespace earshot
