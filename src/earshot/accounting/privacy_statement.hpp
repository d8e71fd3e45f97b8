// What a guarantee promises, with all its terms: never a bare epsilon.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "earshot/core/json.hpp"

namespace earshot {

struct PrivacyStatement {
  std::optional<double> epsilon;  // absent: no guarantee at all
  double delta = 0;
  std::string definition;
  std::string unit;       // what is protected: a record, a node's whole data, a user
  std::string adjacency;  // which change of the data must stay hidden
  std::string adversary;  // against whom
  std::vector<std::string> assumptions;

  bool is_private() const { return epsilon.has_value(); }
};

PrivacyStatement no_privacy();
Json to_json(const PrivacyStatement& statement);

}  // namespace earshot
