// For tests: how often this program has allocated with new.
#pragma once

#include <cstddef>

namespace earshot {

std::size_t allocations();

}  // namespace earshot
