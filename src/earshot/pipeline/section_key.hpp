// Sections that say the same are loaded once.
#pragma once

#include <string>

#include "earshot/experiment/plan.hpp"

namespace earshot {

inline std::string section_key(const Choice& choice) {
  return choice.kind + choice.settings.values().dump();
}

}  // namespace earshot
