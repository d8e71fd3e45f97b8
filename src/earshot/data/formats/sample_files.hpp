// For tests and fuzzing of datasets that consist of several files: one sample holds them all, divided by
// lines of four dashes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "earshot/core/error.hpp"
#include "earshot/data/formats/text_lines.hpp"

namespace earshot {

inline std::vector<TextFile> sample_files(std::string_view sample, std::size_t expected) {
  constexpr std::string_view kDivider = "----\n";
  std::vector<TextFile> files;
  for (;;) {
    const std::size_t end = sample.find(kDivider);
    files.push_back({sample.substr(0, end), "file " + std::to_string(files.size() + 1)});
    if (end == std::string_view::npos) break;
    sample.remove_prefix(end + kDivider.size());
  }
  if (files.size() != expected) fail(Fault::kData, "another number of files in the sample");
  return files;
}

}  // namespace earshot
