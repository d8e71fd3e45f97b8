// Who holds which records: partitions of a dataset over the nodes of a network.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "earshot/core/random.hpp"
#include "earshot/core/schema.hpp"

namespace earshot {

/// No record is on two nodes; those on none are `unused`. Records rise within a node.
struct Partition {
  std::vector<std::vector<std::size_t>> nodes;
  std::vector<std::size_t> unused;
};

/// Fails unless every one of the records 0 … `records`-1 is in exactly one place.
void check(const Partition& partition, std::size_t records);

/// What a partition may depend on. Records without a class (-1) count as one more class.
struct PartitionInput {
  std::size_t records = 0;
  std::size_t nodes = 0;
  std::span<const int> labels{};          // one per record, or empty: not known
  std::span<const std::size_t> groups{};  // who a record belongs to, one per record, or empty: not known
};

/// A way to divide records. `minimum` of every schema is the fewest records a node may end up with.
struct PartitionComponent {
  Schema schema;
  bool needs_labels = false;
  bool needs_groups = false;
  Partition (*divide)(const Settings&, const PartitionInput&, Stream&);
};
/// iid, shards, dirichlet, one_per_node, groups.
std::span<const PartitionComponent> partition_components();
/// Fails with the nearest spelling when no partition has that name.
const PartitionComponent& find_partition(std::string_view name);

/// Divides the records, the same way for the same seed; refuses what cannot be done, and a result in which
/// a node has fewer than `minimum` records.
Partition divide_records(const PartitionComponent& component, const Settings& settings,
                         const PartitionInput& input, std::uint64_t seed);

/// Records with equal values are of one group; groups are numbered in rising order of the values. For
/// partitions by a column of a table.
std::vector<std::size_t> groups_of(std::span<const double> values);

}  // namespace earshot
