// One experiment as a page of markdown, such as those in docs/reproduction.
#pragma once

#include <string>

#include "earshot/core/json.hpp"

namespace earshot {

struct ReproductionFacts {
  std::string command;   // what a reader types to get these numbers
  double seconds = 0.0;  // how long it took
};

/// Heading, command, seed, duration, the table of published against measured values and the curves as tables.
/// Throws Error(kData) when `results` is not a results document.
std::string render_markdown(const Json& results, const ReproductionFacts& facts);

}  // namespace earshot
