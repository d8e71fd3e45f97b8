// MUSAE networks (Rozemberczki, Allen & Sarkar 2019): edges and classes as CSV, features as JSON.
#pragma once

#include <cstddef>

#include "earshot/data/formats/text_lines.hpp"
#include "earshot/data/graphs/graph_dataset.hpp"

namespace earshot {

/// `target`: id, facebook_id, page_name, page_type, one row per page; `features`: an object that has, by id,
/// the list of the columns that are one; `edges`: id_1, id_2.
struct MusaeFiles {
  TextFile edges;
  TextFile features;
  TextFile target;
};

NodeDataset read_facebook_page_page(const MusaeFiles& files, std::size_t columns);

}  // namespace earshot
