#include "earshot/data/images/stratified.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

using Members = std::vector<std::vector<std::size_t>>;

Members members_by_class(std::span<const std::uint8_t> labels) {
  Members members(256);
  for (std::size_t i = 0; i < labels.size(); ++i) members[labels[i]].push_back(i);
  return members;
}

/// Hamilton's method, in whole numbers: the share of class c is count * |c| / total.
std::vector<std::size_t> quotas(const Members& members, std::size_t count, std::size_t total) {
  std::vector<std::size_t> quota;
  std::vector<std::size_t> remainder;
  for (const auto& one : members) {
    quota.push_back(count * one.size() / total);
    remainder.push_back(count * one.size() % total);
  }
  std::vector<std::size_t> order(members.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return remainder[a] > remainder[b]; });
  const std::size_t given = std::accumulate(quota.begin(), quota.end(), std::size_t{0});
  for (std::size_t i = 0; i < count - given; ++i) ++quota[order[i]];
  return quota;
}

}  // namespace

std::vector<std::size_t> stratified_sample(std::span<const std::uint8_t> labels, std::size_t count,
                                           StreamName name) {
  if (count > labels.size())
    fail(Fault::kConfig, fmt::format("{} of {} cannot be drawn; ask for fewer", count, labels.size()));
  if (count == 0) return {};
  const Members members = members_by_class(labels);
  const std::vector<std::size_t> quota = quotas(members, count, labels.size());
  std::vector<std::size_t> chosen;
  for (std::size_t c = 0; c < members.size(); ++c) {
    name.node = c;
    for (const std::size_t i : Stream(name).sample_without_replacement(quota[c], members[c].size()))
      chosen.push_back(members[c][i]);
  }
  std::ranges::sort(chosen);
  return chosen;
}

std::vector<std::size_t> complement(std::span<const std::size_t> chosen, std::size_t size) {
  std::vector<std::size_t> all(size);
  std::iota(all.begin(), all.end(), std::size_t{0});
  std::vector<std::size_t> rest;
  std::ranges::set_difference(all, chosen, std::back_inserter(rest));
  return rest;
}

}  // namespace earshot
