#include "earshot/data/partition/partition.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/core/text.hpp"
#include "earshot/data/partition/dirichlet.hpp"

namespace earshot {
namespace {

using Records = std::vector<std::size_t>;

/// Draws of Dirichlet proportions before a minimum is given up. Each is cheap, and a minimum that one in a
/// thousand draws does not meet is a mistake.
constexpr std::size_t kMostDraws = 1000;

/// The i-th of `parts` stretches of `count` items: sizes differ by one at most.
std::span<const std::size_t> stretch(std::span<const std::size_t> items, std::size_t i, std::size_t parts) {
  const std::size_t size = items.size() / parts;
  const std::size_t longer = items.size() % parts;
  const std::size_t start = i * size + std::min(i, longer);
  return items.subspan(start, size + (i < longer ? 1 : 0));
}

void append(std::span<const std::size_t> from, Records& to) {
  to.insert(to.end(), from.begin(), from.end());
}

Partition divide_iid(const Settings& settings, const PartitionInput& input, Stream& stream) {
  const Records order = stream.permutation(input.records);
  const bool drop = settings.text("remainder") == "drop";
  const std::size_t kept = drop ? input.records / input.nodes * input.nodes : input.records;
  Partition partition{std::vector<Records>(input.nodes), {}};
  for (std::size_t node = 0; node < input.nodes; ++node)
    append(stretch(std::span(order).first(kept), node, input.nodes), partition.nodes[node]);
  append(std::span(order).subspan(kept), partition.unused);
  return partition;
}

/// Records by class, in random order within a class; those without a class first.
std::map<int, Records> by_class(const PartitionInput& input, Stream& stream) {
  std::map<int, Records> classes;
  for (const std::size_t record : stream.permutation(input.records))
    classes[input.labels[record]].push_back(record);
  return classes;
}

Partition divide_shards(const Settings& settings, const PartitionInput& input, Stream& stream) {
  const std::size_t per_node = settings.size("shards_per_node");
  const std::size_t shards = per_node * input.nodes;
  if (shards > input.records)
    fail(Fault::kConfig, fmt::format("{} shards ({} nodes x {}) of {} records leave some empty; take fewer "
                                     "shards or nodes",
                                     shards, input.nodes, per_node, input.records));
  Records sorted;
  for (const auto& [label, members] : by_class(input, stream)) append(members, sorted);
  const Records order = stream.permutation(shards);
  Partition partition{std::vector<Records>(input.nodes), {}};
  for (std::size_t i = 0; i < shards; ++i)
    append(stretch(sorted, order[i], shards), partition.nodes[i / per_node]);
  return partition;
}

/// Shares the members out in the given proportions: cuts where the running sum of the proportions falls, so
/// that no share is more than one record off and none is lost.
void share(const Records& members, std::span<const double> proportions, std::vector<Records>& nodes) {
  double sum = 0;
  std::size_t from = 0;
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    sum += proportions[node];
    const bool last = node + 1 == nodes.size();
    const auto cut = static_cast<std::size_t>(std::floor(sum * static_cast<double>(members.size())));
    const std::size_t to = last ? members.size() : std::clamp(cut, from, members.size());
    append(std::span(members).subspan(from, to - from), nodes[node]);
    from = to;
  }
}

std::size_t smallest(const std::vector<Records>& nodes) {
  return std::ranges::min_element(nodes, {}, &Records::size)->size();
}

Partition divide_dirichlet(const Settings& settings, const PartitionInput& input, Stream& stream) {
  const std::map<int, Records> classes = by_class(input, stream);
  const double alpha = settings.real("alpha");
  const std::size_t minimum = settings.size("minimum");
  for (std::size_t draw = 0; draw < kMostDraws; ++draw) {
    std::vector<Records> nodes(input.nodes);
    for (const auto& [label, members] : classes) share(members, dirichlet(stream, input.nodes, alpha), nodes);
    if (smallest(nodes) >= minimum) return {std::move(nodes), {}};
  }
  fail(Fault::kConfig, fmt::format("none of {} draws with alpha = {} gave each of {} nodes {} records; raise "
                                   "alpha, or lower minimum or the number of nodes",
                                   kMostDraws, alpha, input.nodes, minimum));
}

Partition divide_one_per_node(const Settings&, const PartitionInput& input, Stream& stream) {
  const Records order = stream.permutation(input.records);
  Partition partition;
  for (std::size_t i = 0; i < input.nodes; ++i) partition.nodes.push_back({order[i]});
  append(std::span(order).subspan(input.nodes), partition.unused);
  return partition;
}

/// Whole groups go to nodes, dealt out in random order: with as many nodes as groups, each node is one group.
Partition divide_groups(const Settings&, const PartitionInput& input, Stream& stream) {
  std::map<std::size_t, Records> members;
  for (std::size_t record = 0; record < input.records; ++record)
    members[input.groups[record]].push_back(record);
  if (members.size() < input.nodes)
    fail(Fault::kConfig,
         fmt::format("{} nodes but only {} groups, and a group is never split; take at most {} "
                     "nodes",
                     input.nodes, members.size(), members.size()));
  std::vector<const Records*> groups;
  for (const auto& [group, records] : members) groups.push_back(&records);
  const bool one_each = groups.size() == input.nodes;
  const Records order = stream.permutation(groups.size());
  Partition partition{std::vector<Records>(input.nodes), {}};
  for (std::size_t i = 0; i < groups.size(); ++i)
    append(*groups[one_each ? i : order[i]], partition.nodes[i % input.nodes]);
  return partition;
}

Parameter minimum_parameter() {
  return integer_parameter("minimum", 1, 0, std::int64_t{1} << 40,
                           "the fewest records a node may have; refused when it cannot be met");
}

PartitionComponent component(std::string name, std::string summary, std::string reference,
                             std::vector<Parameter> parameters, bool needs_labels, bool needs_groups,
                             Partition (*divide)(const Settings&, const PartitionInput&, Stream&)) {
  parameters.push_back(minimum_parameter());
  return {{"partition", std::move(name), std::move(summary), std::move(reference), std::move(parameters)},
          needs_labels,
          needs_groups,
          divide};
}

void check_input(const PartitionComponent& component, const PartitionInput& input, std::size_t minimum) {
  const std::string& name = component.schema.name;
  if (input.nodes == 0) fail(Fault::kConfig, "a partition needs at least one node");
  if (component.needs_labels && input.labels.size() != input.records)
    fail(Fault::kConfig, fmt::format("partition {} goes by classes, which this dataset does not have; choose "
                                     "iid, one_per_node or groups",
                                     name));
  if (component.needs_groups && input.groups.size() != input.records)
    fail(Fault::kConfig,
         fmt::format("partition {} needs to know whom each record belongs to: name a column, or "
                     "take a dataset with writers or clients",
                     name));
  if (minimum > 0 && input.records / minimum < input.nodes)
    fail(Fault::kConfig,
         fmt::format("{} records cannot give each of {} nodes {}; take fewer nodes or a lower "
                     "minimum",
                     input.records, input.nodes, minimum));
  if (name == "one_per_node" && input.records < input.nodes)
    fail(Fault::kConfig, fmt::format("{} records are too few for {} nodes with one each; take fewer nodes",
                                     input.records, input.nodes));
}

void check_minimum(const Partition& partition, std::size_t minimum) {
  const auto fewest = std::ranges::min_element(partition.nodes, {}, &Records::size);
  if (fewest->size() < minimum)
    fail(Fault::kConfig, fmt::format("node {} has {} records, fewer than the minimum of {}; lower minimum or "
                                     "the number of nodes",
                                     fewest - partition.nodes.begin(), fewest->size(), minimum));
}

}  // namespace

void check(const Partition& partition, std::size_t records) {
  std::vector<bool> placed(records, false);
  const auto place = [&](std::size_t record) {
    if (record >= records || placed[record])
      fail(Fault::kInternal,
           fmt::format("record {} of {} is placed twice or does not exist", record, records));
    placed[record] = true;
  };
  for (const Records& node : partition.nodes) std::ranges::for_each(node, place);
  std::ranges::for_each(partition.unused, place);
  if (std::ranges::count(placed, false) != 0) fail(Fault::kInternal, "a record was lost");
}

std::span<const PartitionComponent> partition_components() {
  static const std::vector<PartitionComponent> components{
      component(
          "iid", "records dealt out at random, equally many to each node",
          "McMahan et al. 2017, Communication-efficient learning of deep networks from decentralized data",
          {choice_parameter("remainder", "spread", {"spread", "drop"},
                            "what does not divide evenly: one more record for the first nodes, or for "
                            "nobody (Shahbazi 2026)")},
          false, false, divide_iid),
      component(
          "shards", "records sorted by class, cut into shards, some random shards for each node",
          "McMahan et al. 2017, Communication-efficient learning of deep networks from decentralized data",
          {integer_parameter("shards_per_node", 2, 1, 1'000'000,
                             "about so many classes a node sees; sizes of shards differ by one at most")},
          true, false, divide_shards),
      component(
          "dirichlet", "each class shared out in random proportions, the more unequal the smaller alpha",
          "Yurochkin et al. 2019, Bayesian nonparametric federated learning of neural networks; Hsu, Qi "
          "& Brown 2019, Measuring the effects of non-identical data distribution",
          {above_minimum(
              real_parameter("alpha", 0.5, 0, 1e6, "concentration of the Dirichlet distribution"))},
          true, false, divide_dirichlet),
      component("one_per_node", "one random record for each node, the rest unused",
                "Biswas 2024; Cyffers, Even, Bellet & Massoulié 2022, Muffliato: peer-to-peer privacy "
                "amplification for decentralized optimization and averaging",
                {}, false, false, divide_one_per_node),
      component("groups", "what belongs together stays together: by writer, client or the values of a column",
                "Caldas et al. 2018, LEAF: a benchmark for federated settings", {}, false, true,
                divide_groups)};
  return components;
}

const PartitionComponent& find_partition(std::string_view name) {
  std::vector<std::string> names;
  for (const PartitionComponent& component : partition_components()) {
    if (component.schema.name == name) return component;
    names.push_back(component.schema.name);
  }
  fail(Fault::kUsage, fmt::format("no partition \"{}\"; {}", name, suggest(name, names)));
}

Partition divide_records(const PartitionComponent& component, const Settings& settings,
                         const PartitionInput& input, std::uint64_t seed) {
  const std::size_t minimum = settings.size("minimum");
  check_input(component, input, minimum);
  Stream stream({.seed = seed, .purpose = Purpose::kPartition});
  Partition partition = component.divide(settings, input, stream);
  for (Records& node : partition.nodes) std::ranges::sort(node);
  std::ranges::sort(partition.unused);
  check(partition, input.records);
  check_minimum(partition, minimum);
  return partition;
}

std::vector<std::size_t> groups_of(std::span<const double> values) {
  const std::set<double> distinct(values.begin(), values.end());
  std::map<double, std::size_t> number;
  for (const double value : distinct) number.emplace(value, number.size());
  std::vector<std::size_t> groups;
  for (const double value : values) groups.push_back(number.at(value));
  return groups;
}

}  // namespace earshot
