// Text as files hold it: checked, shown in messages, read as numbers.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace earshot {

/// The text in quotes with everything unprintable escaped and a long tail cut, fit for a message of one line.
std::string in_quotes(std::string_view text);

/// The text without its UTF-8 byte-order mark, if it has one; fails when it holds a zero byte, as no text
/// file does.
std::string_view check_text(std::string_view text, const std::string& origin);
/// How many lines end in the text.
std::size_t lines_in(std::string_view text);

/// Whole text as a finite double; a sign and an exponent may be there, nothing else may.
std::optional<double> parse_finite(std::string_view text);

/// Whole text as a whole number that a double holds exactly.
std::optional<double> parse_integer(std::string_view text);
/// YYYY-MM-DD as days since 1970-01-01.
std::optional<double> parse_date(std::string_view text);

}  // namespace earshot
