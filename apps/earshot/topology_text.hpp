// The topology auditor's findings for people.
#pragma once

#include <string>

#include "earshot/core/json.hpp"
#include "earshot/report/terminal.hpp"

namespace earshot::cli {

std::string topology_text(const Json& document, const TerminalStyle& style);

}  // namespace earshot::cli
