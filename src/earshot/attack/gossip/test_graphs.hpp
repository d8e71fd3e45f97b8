// Graphs by name for the tests of this folder.
#pragma once

#include <string>

#include "earshot/core/error.hpp"
#include "earshot/graph/topologies.hpp"

namespace earshot {

inline Graph graph_named(const std::string& name, const Json& given = Json::object(),
                         std::uint64_t trial = 0) {
  for (const GraphComponent& component : graph_components()) {
    if (component.schema.name != name) continue;
    std::vector<Problem> problems;
    const Settings settings = validate(
        component.schema, given, [](std::string_view key) { return std::string(key); }, problems);
    if (!problems.empty()) throw PlanError(problems);
    Stream stream({17, Purpose::kGraph, trial});
    const char* data = std::getenv("EARSHOT_DATA");
    return component.make(settings, stream, {data == nullptr ? "data" : data, "."});
  }
  fail(Fault::kInternal, "no graph " + name);
}

}  // namespace earshot
