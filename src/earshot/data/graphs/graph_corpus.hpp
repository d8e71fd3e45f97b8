// For tests and fuzzing of graph datasets that consist of several files: one sample holds them all, divided
// by lines of four dashes.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "earshot/core/error.hpp"
#include "earshot/data/graphs/musae.hpp"
#include "earshot/data/graphs/planetoid.hpp"
#include "earshot/data/graphs/tu_dataset.hpp"
#include "earshot/data/graphs/webkb.hpp"

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

/// Reads a sample of "citation", "linqs", "geom_gcn", "musae" or "tu"; 3 columns, 2 classes.
inline void parse_graph_sample(std::string_view format, std::string_view sample) {
  constexpr std::size_t kColumns = 3;
  if (format == "citation") {
    for (const bool weighted : {false, true}) {
      const std::vector<TextFile> files = sample_files(sample, 4);
      const bool values = files[1].text.find(':') != std::string_view::npos;
      if (values != weighted) continue;
      read_citation_graph({files[0], files[1], files[2], std::nullopt},
                          {"sample", kColumns, weighted, {"a", "b"}});
      planetoid_split(files[3], 1000, 2);
    }
  } else if (format == "tu") {
    const std::vector<TextFile> files = sample_files(sample, 6);
    for (const TuFeatures features : {TuFeatures::kLabels, TuFeatures::kAttributes, TuFeatures::kBoth})
      read_tu_dataset("sample", {files[0], files[1], files[2], files[3], files[4], files[5]}, features);
  } else if (format == "musae") {
    const std::vector<TextFile> files = sample_files(sample, 3);
    read_facebook_page_page({files[0], files[1], files[2]}, kColumns);
  } else if (format == "linqs") {
    const std::vector<TextFile> files = sample_files(sample, 2);
    read_webkb_linqs(files[0], files[1], kColumns);
  } else {
    const std::vector<TextFile> files = sample_files(sample, 2);
    read_webkb_geom_gcn(files[0], files[1], kColumns);
  }
}

}  // namespace earshot
