// ARFF, the text format of Weka and OpenML: declared attributes, then dense or sparse rows.
#pragma once

#include <string>
#include <string_view>

#include "earshot/data/formats/table.hpp"

namespace earshot {

enum class OnMissing { kError, kDropRow };

/// Attributes: numeric, real, integer and {nominal} become columns, string is left out. What a sparse row
/// does not mention is 0 or the first category. Missing values are written ?. `origin` names the file in
/// messages.
CodedTable read_arff(std::string_view text, const std::string& origin,
                     OnMissing on_missing = OnMissing::kError);

}  // namespace earshot
