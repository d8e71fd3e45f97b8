// Lines of fields, as edge lists and weight files have them: checked before any of it is quoted in a message.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace earshot {

/// Calls `row(line number, fields)` for every line that is neither blank nor a comment (first character # or
/// %). Fields are separated by blanks, tabs or one comma. Not UTF-8, control characters, empty and over-long
/// fields are data errors; errors thrown by `row` are given the line in front: `origin:12: what`.
void for_each_row(std::string_view text, const std::string& origin,
                  const std::function<void(std::size_t, const std::vector<std::string_view>&)>& row);

}  // namespace earshot
