// Every mechanism's audit by name, with inputs that are hard for it and parameters as a schema.
#pragma once

#include <span>
#include <string_view>

#include "earshot/audit/audit.hpp"
#include "earshot/core/schema.hpp"

namespace earshot {

struct AuditComponent {
  Schema schema;
  Audit (*make)(const Settings& settings, Operation operation);
};

std::span<const AuditComponent> audit_components();
/// Dashes and underscores are the same; an unknown name is an error with the nearest spelling.
const AuditComponent& audit_component(std::string_view name);
/// The audit with these parameters; what the schema does not allow is an error.
Audit make_audit(const AuditComponent& component, const Json& parameters, Operation operation);

}  // namespace earshot
