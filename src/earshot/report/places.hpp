// A collection of places as a page: maps of reports and estimate, and what each place is exposed to.
#pragma once

#include <string>

#include "earshot/core/json.hpp"

namespace earshot {

/// The page of a document as `earshot collect --json` prints it. Throws Error(kData) when it is none: lists
/// must fit the places and the grids they are drawn on.
std::string render_places(const Json& collection);

}  // namespace earshot
