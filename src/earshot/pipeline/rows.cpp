#include "earshot/pipeline/rows.hpp"

#include <cmath>

#include "earshot/core/error.hpp"

namespace earshot {

void RowTable::add(Json row) {
  if (row.size() != columns_.size()) fail(Fault::kInternal, "a row does not fit its columns");
  rows_.push_back(std::move(row));
}

Json finite_or_null(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

}  // namespace earshot
