#include "earshot/graph/text_table.hpp"

#include <cstdint>

#include <fmt/format.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

constexpr std::size_t kLongestField = 128;

/// Length of the well-formed UTF-8 character at the front (RFC 3629), 0 if there is none.
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  const bool overlong = (lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xf0 && byte(1) < 0x90);
  const bool surrogate = lead == 0xed && byte(1) >= 0xa0;
  const bool beyond = lead == 0xf4 && byte(1) >= 0x90;
  return overlong || surrogate || beyond ? 0 : length;
}

void check_characters(std::string_view line) {
  while (!line.empty()) {
    const auto first = static_cast<std::uint8_t>(line.front());
    if ((first < 0x20 && first != '\t') || first == 0x7f)
      fail(Fault::kData,
           fmt::format("holds the control character 0x{:02x}: not a text file of fields", first));
    const std::size_t length = character_length(line);
    if (length == 0) fail(Fault::kData, fmt::format("byte 0x{:02x} is not UTF-8 text", first));
    line.remove_prefix(length);
  }
}

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// Cuts the first field off `rest`; `comma` says whether another field must follow.
std::string_view take_field(std::string_view& rest, bool& comma) {
  const std::size_t end = std::min(rest.find_first_of(" \t,"), rest.size());
  const std::string_view field = rest.substr(0, end);
  rest = trim(rest.substr(end));
  comma = !rest.empty() && rest.front() == ',';
  if (comma) rest = trim(rest.substr(1));
  if (field.empty()) fail(Fault::kData, "a field is empty (comma without a value)");
  if (field.size() > kLongestField)
    fail(Fault::kData, fmt::format("a field is longer than {} bytes", kLongestField));
  return field;
}

void split(std::string_view line, std::vector<std::string_view>& fields) {
  fields.clear();
  bool comma = false;
  for (std::string_view rest = line; !rest.empty() || comma;) fields.push_back(take_field(rest, comma));
}

}  // namespace

void for_each_row(std::string_view text, const std::string& origin,
                  const std::function<void(std::size_t, const std::vector<std::string_view>&)>& row) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::vector<std::string_view> fields;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    line = trim(line);
    if (line.empty() || line.front() == '#' || line.front() == '%') continue;
    try {
      check_characters(line);
      split(line, fields);
      row(number, fields);
    } catch (const Error& error) {
      throw Error(error.fault(), fmt::format("{}:{}: {}", origin, number, error.what()));
    }
  }
}

}  // namespace earshot
