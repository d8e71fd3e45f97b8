// The catalogue: every component earshot knows, by role and name, each with the one schema that describes it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "earshot/core/schema.hpp"

namespace earshot {

/// The roles in the order of the pipeline.
std::span<const std::string> component_roles();
/// The roles an experiment file chooses a component for, in a section of that name. Metrics are not chosen:
/// every attack is measured by all that apply.
std::span<const std::string> section_roles();

class Catalogue {
 public:
  /// Refuses an unknown role and a second component of the same role and name: both are our own bugs.
  void add(Schema schema);
  /// Null when there is no such component. Valid until the next add().
  const Schema* find(std::string_view role, std::string_view name) const;
  /// In the order they were added.
  std::vector<std::string> names(std::string_view role) const;
  /// By role, within a role in the order they were added.
  std::vector<const Schema*> all() const;
  /// Every parameter that some component of the role has, and "kind".
  std::vector<std::string> parameter_keys(std::string_view role) const;

 private:
  std::vector<Schema> schemas_;
};

}  // namespace earshot
