// A partition in numbers and pictures: how many records of which class every node holds.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "earshot/core/json.hpp"
#include "earshot/data/partition/partition.hpp"

namespace earshot {

struct NodeShare {
  std::size_t records = 0;
  std::vector<std::size_t> histogram;     // per class
  double entropy = 0;                     // of the classes, in bits
  std::optional<double> total_variation;  // from the classes of the whole dataset; none without records
};

struct PartitionSummary {
  std::vector<std::string> classes;
  std::size_t records = 0;  // of the whole dataset
  std::size_t unused = 0;
  std::vector<std::size_t> histogram;  // of the whole dataset
  double entropy = 0;
  std::vector<NodeShare> nodes;
};

/// `labels` has a class per record; those without (-1) are counted as a class of their own, "no class", last.
/// Without labels there is one class, "records".
PartitionSummary summarise(const Partition& partition, std::span<const int> labels,
                           std::vector<std::string> classes);

Json to_json(const PartitionSummary& summary);

/// One bar per node, as long as it has records, one letter per class; the first `most_nodes` only.
std::string terminal_picture(const PartitionSummary& summary, std::size_t width, std::size_t most_nodes);
/// The same as a drawing: a complete SVG document.
std::string svg_picture(const PartitionSummary& summary, const std::string& title);

}  // namespace earshot
