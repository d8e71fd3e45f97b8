// Attacks on gradients by name: settings that make up an attacker.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "earshot/attack/inversion/reconstruction.hpp"
#include "earshot/attack/leak/leaks.hpp"
#include "earshot/core/schema.hpp"

namespace earshot {

struct AttackRecipe {
  Schema schema;
  std::optional<LeakSource> source{};  // none: whatever the protocol sends
};

/// `attack` components by name: dlg, idlg, inverting-gradients, pdmm-difference, dgd+inversion,
/// fedavg-inversion, tableak, closed-form.
std::span<const AttackRecipe> attack_recipes();
/// Null when there is none of that name.
const AttackRecipe* find_attack_recipe(std::string_view name);

/// Of settings of one of the recipes but tableak, which seeks cells rather than numbers.
AttackOptions attack_options(const Settings& settings);

}  // namespace earshot
