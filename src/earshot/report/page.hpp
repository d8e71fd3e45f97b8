// Pages that need no network and no server: a template, a style, data, and scripts the browser is told to
// trust.
#pragma once

#include <string>
#include <string_view>

#include "earshot/core/json.hpp"

namespace earshot {

/// Fills {{policy}}, {{style}}, {{data}}, {{library}} and {{script}} of `page`. The policy names the two
/// scripts by their digest, so that the browser runs these exact bytes and no others; nothing in `data` can
/// become markup or script.
std::string render_page(std::string_view page, const Json& data, std::string_view script);

}  // namespace earshot
