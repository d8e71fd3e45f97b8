// For tests on real data: skips when a dataset is missing, fails instead when EARSHOT_REQUIRE_DATA=1.
#pragma once

#include <cstdlib>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "earshot/data/catalogue/catalogue.hpp"

namespace earshot::testing {

/// Why the dataset cannot be used, or empty.
inline std::string missing_dataset(std::string_view name) {
  const DatasetEntry& entry = find_dataset(name);
  for (const DatasetFile& file : entry.files) {
    try {
      locate(entry, file, data_directory());
    } catch (const std::exception& error) {
      return error.what();
    }
  }
  return "";
}

inline bool data_is_required() {
  const char* required = std::getenv("EARSHOT_REQUIRE_DATA");
  return required != nullptr && std::string_view(required) == "1";
}

}  // namespace earshot::testing

#define EARSHOT_NEEDS_DATASET(name)                                                              \
  if (const std::string missing = ::earshot::testing::missing_dataset(name); !missing.empty()) { \
    if (::earshot::testing::data_is_required()) FAIL() << missing;                               \
    GTEST_SKIP() << missing;                                                                     \
  }                                                                                              \
  static_assert(true, "")
