// Overrides: `--set key=value` on the command line, applied to the experiment file before it is validated.
#pragma once

#include <string>
#include <string_view>

#include "earshot/core/json.hpp"

namespace earshot {

/// `key` is `trials`, `graph.nodes`, ... or `sweep.` followed by the name of an axis.
struct Override {
  std::string key;
  Json value;
};

/// Reads `key=value`. The value is a TOML value; what is not one, such as `ring`, is taken as text.
Override parse_override(std::string_view text);

}  // namespace earshot
