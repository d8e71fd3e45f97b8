// `--set SECTION.KEY=VALUE`, as every command that chooses components reads it.
#pragma once

#include <string>

#include "earshot/experiment/component_catalogue.hpp"
#include "earshot/experiment/override.hpp"

namespace earshot::cli {

/// model.hidden=64 is a number to TOML, and text to the schema: a list of one width.
Override read_setting(const std::string& setting, const Catalogue& catalogue);

}  // namespace earshot::cli
