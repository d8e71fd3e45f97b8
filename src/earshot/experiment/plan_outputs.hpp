// The [[curve]] and [[expect]] entries of an experiment file.
#pragma once

#include <vector>

#include "earshot/experiment/document.hpp"
#include "earshot/experiment/plan.hpp"

namespace earshot {

/// `cells` may be empty when the sections have problems of their own.
std::vector<Curve> read_curves(const Document& document, const Catalogue& catalogue,
                               const std::vector<Cell>& cells, std::vector<Problem>& problems);

std::vector<Expectation> read_expectations(const Document& document, const Catalogue& catalogue,
                                           const std::vector<Cell>& cells, std::vector<Problem>& problems);

/// The entries as they are written in the file, for the resolved plan and the results document.
Json to_json(const Curve& curve);
Json to_json(const Expectation& expectation);

/// True if the cell agrees with every condition that is about a setting; conditions on columns are not looked
/// at.
bool cell_matches(const Cell& cell, const Json& conditions);

/// Refuses a text of several lines, which would break tables and legends.
void check_one_line(const Document& document, const std::string& path, const std::string& text,
                    std::vector<Problem>& problems);

}  // namespace earshot
