#include "earshot/experiment/component_catalogue.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace earshot {

std::span<const std::string> component_roles() {
  static const std::array<std::string, 11> roles{"graph",     "weights",  "data",      "partition",
                                                 "model",     "protocol", "mechanism", "faults",
                                                 "adversary", "attack",   "metric"};
  return roles;
}

std::span<const std::string> section_roles() {
  return component_roles().first(component_roles().size() - 1);
}

void Catalogue::add(Schema schema) {
  if (std::ranges::find(component_roles(), schema.role) == component_roles().end())
    fail(Fault::kInternal,
         fmt::format("component \"{}\" has the unknown role \"{}\"", schema.name, schema.role));
  if (find(schema.role, schema.name) != nullptr)
    fail(Fault::kInternal, fmt::format("{} \"{}\" is in the catalogue already", schema.role, schema.name));
  schemas_.push_back(std::move(schema));
}

const Schema* Catalogue::find(std::string_view role, std::string_view name) const {
  for (const Schema& schema : schemas_) {
    if (schema.role == role && schema.name == name) return &schema;
  }
  return nullptr;
}

std::vector<std::string> Catalogue::names(std::string_view role) const {
  std::vector<std::string> names;
  for (const Schema& schema : schemas_) {
    if (schema.role == role) names.push_back(schema.name);
  }
  return names;
}

std::vector<const Schema*> Catalogue::all() const {
  std::vector<const Schema*> ordered;
  for (const std::string& role : component_roles()) {
    for (const Schema& schema : schemas_) {
      if (schema.role == role) ordered.push_back(&schema);
    }
  }
  return ordered;
}

std::vector<std::string> Catalogue::parameter_keys(std::string_view role) const {
  std::vector<std::string> keys{"kind"};
  for (const Schema& schema : schemas_) {
    if (schema.role != role) continue;
    for (const Parameter& parameter : schema.parameters) {
      if (std::ranges::find(keys, parameter.key) == keys.end()) keys.push_back(parameter.key);
    }
  }
  return keys;
}

}  // namespace earshot
