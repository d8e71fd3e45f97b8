// For tests and fuzzing of graph datasets: samples that hold all their files.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "earshot/data/formats/sample_files.hpp"
#include "earshot/data/graphs/musae.hpp"
#include "earshot/data/graphs/planetoid.hpp"
#include "earshot/data/graphs/tu_dataset.hpp"
#include "earshot/data/graphs/webkb.hpp"

namespace earshot {

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
