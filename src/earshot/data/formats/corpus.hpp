// For tests of parsers: the sample files of tests/corpus, which also seed the fuzz targets.
#pragma once

#include <algorithm>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "earshot/core/error.hpp"
#include "earshot/core/files.hpp"
#include "source_dir.hpp"

namespace earshot::testing {

/// Parses every sample of tests/corpus/`folder`: those named good-* must be accepted, all others (named
/// bad-*) must be refused as bad data in one line.
inline void check_corpus(const std::string& folder, const std::function<void(const Bytes&)>& parse) {
  std::vector<std::filesystem::path> samples;
  for (const auto& item : std::filesystem::directory_iterator(EARSHOT_SOURCE_DIR "/tests/corpus/" + folder))
    samples.push_back(item.path());
  std::sort(samples.begin(), samples.end());
  ASSERT_FALSE(samples.empty());
  for (const std::filesystem::path& sample : samples) {
    SCOPED_TRACE(sample.filename().string());
    const bool good = sample.filename().string().starts_with("good-");
    try {
      parse(read_bytes(sample));
      EXPECT_TRUE(good) << "was accepted";
    } catch (const Error& error) {
      EXPECT_FALSE(good) << error.what();
      EXPECT_EQ(error.fault(), Fault::kData);
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    }
  }
}

}  // namespace earshot::testing
