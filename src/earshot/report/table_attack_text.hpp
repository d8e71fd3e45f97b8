// The part of the terminal's summary about an attack on the rows of a table.
#pragma once

#include <cstddef>
#include <string>

#include "earshot/report/table_facts.hpp"

namespace earshot {

/// Lines of at most `width` columns: what was found, columns, confidence and the first rows side by side.
std::string table_attack_text(const TableAttackFacts& facts, std::size_t width, bool colour);

}  // namespace earshot
