// Sweeps: the axes of an experiment and the grid of their points.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "earshot/core/error.hpp"
#include "earshot/core/json.hpp"
#include "earshot/experiment/document.hpp"

namespace earshot {

/// One axis; each point is an object that binds keys such as `graph.nodes` to values.
struct Axis {
  std::string name;
  std::vector<Json> points;
};

/// The axes of the document's [sweep] in file order. Every key they bind is located at its axis from then on.
std::vector<Axis> read_axes(Document& document, std::vector<Problem>& problems);

/// How many points the grid has; nothing when more than `most`. No axis at all: one point.
std::optional<std::size_t> grid_size(const std::vector<Axis>& axes, std::size_t most);

/// Which point of each axis the grid's point `index` is at; the last axis varies fastest.
std::vector<std::size_t> grid_position(const std::vector<Axis>& axes, std::size_t index);

/// Every key some axis binds, in order of first mention.
std::vector<std::string> bound_keys(std::span<const Axis> axes);

}  // namespace earshot
