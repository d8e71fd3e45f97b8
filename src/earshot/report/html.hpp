// report.html: one file that needs no network and no server.
#pragma once

#include <string>

#include "earshot/core/json.hpp"

namespace earshot {

/// The whole page for a results document, drawing library included. Throws Error(kData) when `results` is not
/// a results document. Names in the document are data: none of them can become markup or script.
std::string render_html(const Json& results);

}  // namespace earshot
