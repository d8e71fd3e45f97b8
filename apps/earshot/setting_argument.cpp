#include "setting_argument.hpp"

namespace earshot::cli {

Override read_setting(const std::string& setting, const Catalogue& catalogue) {
  Override change = parse_override(setting);
  if (!change.value.is_number_integer()) return change;
  for (const Schema* schema : catalogue.all()) {
    for (const Parameter& parameter : schema->parameters) {
      if (parameter.type == ParameterType::kText && change.key == schema->role + "." + parameter.key)
        return {change.key, change.value.dump()};
    }
  }
  return change;
}

}  // namespace earshot::cli
