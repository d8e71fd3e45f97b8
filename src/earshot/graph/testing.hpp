// Helpers of this folder's tests: components by name and the graphs the laws are checked on.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "earshot/core/random.hpp"
#include "earshot/graph/gossip_matrix.hpp"
#include "earshot/graph/topologies.hpp"

namespace earshot::testing {

inline Stream test_stream(std::uint64_t trial = 0) {
  return Stream({.seed = 7, .purpose = Purpose::kTest, .trial = trial});
}

template <class Components>
const auto& component(const Components& components, std::string_view name) {
  for (const auto& one : components) {
    if (one.schema.name == name) return one;
  }
  throw std::runtime_error("no component " + std::string(name));
}

inline std::filesystem::path data_directory() {
  const char* directory = std::getenv("EARSHOT_DATA");
  return directory != nullptr ? directory : "";
}

inline Graph make_graph(std::string_view name, const Json& given = Json::object(), std::uint64_t trial = 0) {
  const GraphComponent& found = component(graph_components(), name);
  Stream stream = test_stream(trial);
  return found.make(valid_settings(found.schema, given, ""), stream,
                    {data_directory(), std::filesystem::current_path()});
}

inline GossipMatrix make_weights(std::string_view name, const Graph& graph,
                                 const Json& given = Json::object()) {
  const WeightsComponent& found = component(weights_components(), name);
  return found.make(graph, valid_settings(found.schema, given, ""), {});
}

/// One connected graph of every generator that needs no file, by name.
inline std::vector<std::pair<std::string, Graph>> sample_graphs() {
  std::vector<std::pair<std::string, Graph>> graphs;
  for (const GraphComponent& one : graph_components()) {
    const std::string& name = one.schema.name;
    if (name == "file" || name == "facebook_ego") continue;
    graphs.emplace_back(name, make_graph(name, name == "erdos_renyi" ? Json{{"p", 0.15}} : Json::object()));
  }
  return graphs;
}

/// What `action` throws, as text; fails the test when it throws nothing or more than one line.
template <class Action>
std::string error_of(Fault fault, Action action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), fault) << error.what();
    EXPECT_EQ(std::string_view(error.what()).find('\n'), std::string_view::npos) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no error was thrown";
  return "";
}

}  // namespace earshot::testing
