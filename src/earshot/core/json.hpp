// The one JSON type: keys keep their order, so documents are byte-for-byte reproducible.
#pragma once

#include <nlohmann/json.hpp>

namespace earshot {

using Json = nlohmann::ordered_json;

}  // namespace earshot
