// A small results document with every part, for the tests of the three renderers.
#pragma once

#include <string>

#include "earshot/core/json.hpp"

namespace earshot {

/// Four nodes on a line, every node an attacker, once without and once with noise; `name` is the first node's
/// name.
Json sample_document(const std::string& name = "Ada");

/// Tables of an attack on rows: two attacks and one that found nothing, two columns, ten parts by confidence
/// of which the first is right and the last wrong, one row side by side. `accuracy` of both attacks.
Json sample_table_attack(double accuracy, double random, double likeliest);

/// The `places` of a cell: two cells, one collection, whose reports may fall one cell beyond.
Json sample_places();

}  // namespace earshot
