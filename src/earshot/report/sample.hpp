// A small results document with every part, for the tests of the three renderers.
#pragma once

#include <string>

#include "earshot/core/json.hpp"

namespace earshot {

/// Four nodes on a line, every node an attacker, once without and once with noise; `name` is the first node's
/// name.
Json sample_document(const std::string& name = "Ada");

}  // namespace earshot
