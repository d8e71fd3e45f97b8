// For tests of components: settings that pass the schema.
#pragma once

#include <vector>

#include <gmock/gmock.h>

#include "earshot/core/schema.hpp"

namespace earshot::testing {

/// The settings of a component given these parameters, all of which must be right.
inline Settings valid_settings(const Schema& schema, const Json& given) {
  std::vector<Problem> problems;
  Settings settings = validate(
      schema, given, [](std::string_view key) { return std::string(key); }, problems);
  EXPECT_TRUE(problems.empty()) << to_line(problems.empty() ? Problem{} : problems.front());
  return settings;
}

}  // namespace earshot::testing
