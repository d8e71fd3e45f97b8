// The summary a run prints when it ends.
#pragma once

#include <cstddef>
#include <string>

#include "earshot/core/json.hpp"

namespace earshot {

struct TerminalStyle {
  bool colour = false;
  std::size_t width = 100;  // columns; text wraps and tables drop to fit, never below 40
};

/// Who leaks to whom, the formal statement, utility, and published against measured values. Throws
/// Error(kData) when `results` is not a results document. Control characters in names are shown, never sent
/// to the terminal.
std::string render_terminal(const Json& results, const TerminalStyle& style);

}  // namespace earshot
