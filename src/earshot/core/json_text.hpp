// JSON from strangers: copying and printing a document recurse, so a deep one could exhaust the stack.
#pragma once

#include <string_view>

#include "earshot/core/json.hpp"

namespace earshot {

inline constexpr int kDeepestJson = 100;

/// Refuses, with Fault::kData and `what` as the name of the text, what is no JSON or nested deeper than
/// kDeepestJson.
Json parse_json(std::string_view text, std::string_view what);

}  // namespace earshot
