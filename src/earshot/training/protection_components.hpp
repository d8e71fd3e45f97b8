// `mechanism` components that protect training, by name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "earshot/core/schema.hpp"
#include "earshot/training/protection.hpp"

namespace earshot {

/// How a node will use its protection: what noise is calibrated to.
struct ProtectionUse {
  BatchDraw draw = BatchDraw::kShuffled;
  std::uint64_t steps = 1;    // of one node in the whole run, at most
  std::uint64_t rounds = 1;   // in which it sends an update
  std::size_t records = 1;    // of the smallest shard
  std::size_t batch = 0;      // as in BatchOptions
  std::size_t dimension = 1;  // of what gets noise
};

struct ProtectionComponent {
  Schema schema;
  Protection (*make)(const Settings&, const ProtectionUse&) = nullptr;
};

/// "none", "gaussian", "laplace" (each step's average gradient as one vector; the unit is a node), "dp_sgd",
/// "laplace_sgd" (every example's gradient; the unit is a record), "laplace_as_published", "client_update".
std::span<const ProtectionComponent> protection_components();
/// Fails with the nearest names when there is none.
const ProtectionComponent& find_protection(std::string_view name);

}  // namespace earshot
