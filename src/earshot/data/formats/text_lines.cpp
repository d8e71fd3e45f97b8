#include "earshot/data/formats/text_lines.hpp"

#include <charconv>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/data/formats/plain_text.hpp"

namespace earshot {

TextLines::TextLines(const TextFile& file)
    : text_(check_text(file.text, file.origin)), origin_(file.origin) {}

bool TextLines::next(std::string_view& line) {
  if (text_.empty()) return false;
  const std::size_t end = text_.find('\n');
  line = text_.substr(0, end);
  text_.remove_prefix(end == std::string_view::npos ? text_.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  ++line_;
  return true;
}

void TextLines::refuse(const std::string& why) const {
  fail(Fault::kData, fmt::format("{}:{}: {}", origin_, line_, why));
}

std::int64_t TextLines::whole_number(std::string_view text, std::string_view what, std::int64_t lowest,
                                     std::int64_t highest) const {
  std::int64_t value = 0;
  const char* const last = text.data() + text.size();
  const auto [end, code] = std::from_chars(text.data(), last, value);
  if (code != std::errc() || end != last || value < lowest || value > highest)
    refuse(fmt::format("{} {} found, allowed: a whole number from {} to {}", what, in_quotes(text), lowest,
                       highest));
  return value;
}

std::uint32_t TextLines::node(std::string_view text, std::size_t nodes) const {
  return static_cast<std::uint32_t>(whole_number(text, "node", 0, static_cast<std::int64_t>(nodes) - 1));
}

void TextLines::expect_header(std::string_view header) {
  std::string_view line;
  if (!next(line)) fail(Fault::kData, fmt::format("{}: is empty, expected a header line", origin_));
  if (line != header)
    refuse(fmt::format("the first line is {}, expected {}", in_quotes(line), in_quotes(header)));
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  for (;;) {
    const std::size_t end = text.find(separator);
    pieces.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return pieces;
    text.remove_prefix(end + 1);
  }
}

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

}  // namespace earshot
