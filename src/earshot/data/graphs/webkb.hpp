// WebKB: the pages of a computer science department, in the LINQS and in the Geom-GCN version.
#pragma once

#include <cstddef>
#include <string>

#include "earshot/data/formats/text_lines.hpp"
#include "earshot/data/graphs/graph_dataset.hpp"

namespace earshot {

/// The LINQS version. `content`: address, `words` zeros or ones and the kind of page, separated by tabs.
/// `cites`: two addresses a line, separated by a blank.
NodeDataset read_webkb_linqs(const TextFile& content, const TextFile& cites, std::size_t words);

/// The version of Pei et al. (2020). `nodes`: a header, then number, comma-separated zeros or ones and class,
/// separated by tabs; `edges`: a header, then two numbers a line, separated by a tab.
NodeDataset read_webkb_geom_gcn(const TextFile& nodes, const TextFile& edges, std::size_t words);

}  // namespace earshot
