// The words the three renderers share: numbers, guarantees, verdicts and the headline.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "earshot/report/facts.hpp"
#include "earshot/report/results.hpp"

namespace earshot {

/// At most `digits` significant digits, no trailing zeros; "–" for a value that is not there.
std::string number_text(const std::optional<double>& value, int digits = 4);

/// "93 %"; shares that are not quite none or all never round to 0 % or 100 %.
std::string percent_text(const std::optional<double>& share);

/// "mechanism.kind = none, graph.p = 0.1", or "this run" when nothing is swept.
std::string settings_text(const CellResults& cell);

/// A swept key and a title for its column: the key's last part ("epsilon"), or all of it where that is
/// ambiguous.
struct SweptKey {
  std::string key, title;
};

/// Every key the cells differ by, in order of first appearance.
std::vector<SweptKey> swept_keys(const std::vector<CellResults>& cells);

/// The cell's value of a swept key; empty when the cell has none.
std::string swept_value(const CellResults& cell, const std::string& key);

/// "no privacy", or "ε = 8".
std::string guarantee_text(const StatementFacts& statement);

/// The whole statement in one sentence, every term named: never a bare ε.
std::string statement_text(const StatementFacts& statement);

/// What was measured: the plain words when there are any, else the name of the measure.
std::string subject_text(const ExpectationFacts& expectation);

/// "0.94 ± 0.1", "≥ 10", "≤ 0.5".
std::string expected_text(const ExpectationFacts& expectation);

/// "0.945"; of a comparison "0.2 = 0.9 − 0.7".
std::string measured_text(const ExpectationFacts& expectation);

/// "met", "missed" or "not measured".
std::string verdict_text(const ExpectationFacts& expectation);

/// What the run found, in one sentence; `facts` holds one entry per cell.
std::string headline_text(const Results& results, const std::vector<CellFacts>& facts);

}  // namespace earshot
