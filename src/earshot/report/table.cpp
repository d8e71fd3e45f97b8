#include "earshot/report/table.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include <fmt/format.h>

namespace earshot {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kShortestWords = 8;  // a name cut below this says nothing
constexpr char32_t kBroken = 0xFFFD;

struct Glyph {
  char32_t code;
  std::string_view bytes;
};

bool continues(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

/// The next UTF-8 character; a byte that starts none is returned alone as kBroken.
Glyph next_glyph(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80) return {lead, text.substr(0, 1)};
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return {kBroken, text.substr(0, 1)};
  char32_t code = lead & (0xFF >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if (!continues(text[i])) return {kBroken, text.substr(0, 1)};
    code = (code << 6) | (static_cast<unsigned char>(text[i]) & 0x3F);
  }
  return {code, text.substr(0, length)};
}

bool within(char32_t code, std::span<const std::pair<char32_t, char32_t>> ranges) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](const auto& range) { return range.first <= code && code <= range.second; });
}

/// Unicode's combining marks and format characters of the alphabets in use, and its wide blocks (UAX #11).
std::size_t glyph_width(char32_t code) {
  using Range = std::pair<char32_t, char32_t>;
  static constexpr std::array<Range, 9> kZero{{{0x0300, 0x036F},
                                               {0x0483, 0x0489},
                                               {0x0591, 0x05BD},
                                               {0x064B, 0x065F},
                                               {0x1AB0, 0x1AFF},
                                               {0x1DC0, 0x1DFF},
                                               {0x200B, 0x200F},
                                               {0x20D0, 0x20FF},
                                               {0xFE00, 0xFE2F}}};
  static constexpr std::array<Range, 9> kWide{{{0x1100, 0x115F},
                                               {0x2E80, 0x303E},
                                               {0x3041, 0xA4CF},
                                               {0xAC00, 0xD7A3},
                                               {0xF900, 0xFAFF},
                                               {0xFE30, 0xFE6F},
                                               {0xFF00, 0xFF60},
                                               {0x1F300, 0x1FAFF},
                                               {0x20000, 0x3FFFD}}};
  return within(code, kZero) ? 0 : within(code, kWide) ? 2 : 1;
}

template <class Visit>
void each_glyph(std::string_view text, Visit visit) {
  while (!text.empty()) {
    const Glyph glyph = next_glyph(text);
    visit(glyph);
    text.remove_prefix(glyph.bytes.size());
  }
}

/// C0 and C1 controls, and the marks that reorder or hide the text around them.
bool is_control(char32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || (code >= 0x200B && code <= 0x200F) ||
         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) || code == 0xFEFF;
}

std::string pad(std::string_view text, std::size_t width, bool left) {
  const std::size_t used = display_width(text);
  const std::string blank(width > used ? width - used : 0, ' ');
  return left ? std::string(text) + blank : blank + std::string(text);
}

std::size_t total_width(const std::vector<std::size_t>& widths) {
  std::size_t total = widths.empty() ? 0 : kGap * (widths.size() - 1);
  for (const std::size_t width : widths) total += width;
  return total;
}

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  each_glyph(text, [&](const Glyph& glyph) { width += glyph_width(glyph.code); });
  return width;
}

std::string printable(std::string_view text) {
  std::string clean;
  each_glyph(text, [&](const Glyph& glyph) {
    if (glyph.code == '\n' || glyph.code == '\t' || glyph.code == '\r')
      clean += ' ';
    else if (glyph.code == kBroken || is_control(glyph.code))
      clean += "\uFFFD";
    else
      clean += glyph.bytes;
  });
  return clean;
}

std::string shorten(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  std::string cut;
  std::size_t used = 0;
  bool full = width == 0;
  each_glyph(text, [&](const Glyph& glyph) {
    full = full || used + glyph_width(glyph.code) + 1 > width;
    if (full) return;
    cut += glyph.bytes;
    used += glyph_width(glyph.code);
  });
  return width == 0 ? "" : cut + "…";
}

std::string wrap(std::string_view text, std::size_t width, std::size_t indent) {
  const std::size_t room = width > indent + 10 ? width : indent + 10;
  std::string out;
  std::size_t used = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string_view word = text.substr(at, end - at);
    const std::size_t length = display_width(word);
    if (used > 0 && used + 1 + length > room) {
      out.append(1, '\n').append(indent, ' ');
      used = indent;
    } else if (used > 0) {
      out += ' ';
      ++used;
    }
    const std::string fitting = shorten(word, room - indent);
    out += fitting;
    used += display_width(fitting);
    at = end + 1;
  }
  return out;
}

std::string paint(std::string_view text, Paint paint, bool colour) {
  static constexpr std::array<std::string_view, 5> kCodes{"", "1", "2", "1;31", "32"};
  const std::string_view code = kCodes[static_cast<std::size_t>(paint)];
  return colour && !code.empty() ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
}

void TextTable::add_column(std::string title, Kind kind, std::string group) {
  columns_.push_back({printable(title), printable(group), kind});
}

void TextTable::add_row(std::vector<Value> values) {
  for (Value& value : values) value.text = printable(value.text);
  rows_.push_back(std::move(values));
}

std::vector<std::size_t> TextTable::natural_widths() const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t width = display_width(columns_[c].title);
    for (const auto& row : rows_) width = std::max(width, display_width(row[c].text));
    widths.push_back(width);
  }
  return widths;
}

std::vector<std::size_t> TextTable::fitted_widths(std::size_t width) const {
  std::vector<std::size_t> widths = natural_widths();
  while (total_width(widths) > width) {
    std::size_t widest = widths.size();
    for (std::size_t c = 0; c < widths.size(); ++c)
      if (columns_[c].kind == Kind::kWords && widths[c] > kShortestWords &&
          (widest == widths.size() || widths[c] > widths[widest]))
        widest = c;
    if (widest < widths.size())
      --widths[widest];
    else if (widths.size() > 1)
      widths.pop_back();
    else
      break;
  }
  return widths;
}

std::string TextTable::line(const std::vector<Value>& values, const std::vector<std::size_t>& widths,
                            bool colour) const {
  std::string out;
  for (std::size_t c = 0; c < widths.size(); ++c) {
    const bool left = columns_[c].kind == Kind::kWords;
    const bool last = c + 1 == widths.size();
    const std::string text = shorten(values[c].text, widths[c]);
    if (c > 0) out += std::string(kGap, ' ');
    out += paint(left && last ? text : pad(text, widths[c], left), values[c].paint, colour);
  }
  return out + "\n";
}

std::string TextTable::group_line(const std::vector<std::size_t>& widths, bool colour) const {
  std::string out;
  for (std::size_t c = 0; c < widths.size();) {
    std::size_t end = c + 1, width = widths[c];
    for (; end < widths.size() && columns_[end].group == columns_[c].group; ++end)
      width += kGap + widths[end];
    if (c > 0) out += std::string(kGap, ' ');
    out += pad(shorten(columns_[c].group, width), width, columns_[c].kind == Kind::kWords);
    c = end;
  }
  return paint(out, Paint::kDim, colour) + "\n";
}

std::string TextTable::render(std::size_t width, bool colour) const {
  const std::vector<std::size_t> widths = fitted_widths(width);
  std::string out;
  if (std::any_of(columns_.begin(), columns_.end(), [](const Column& c) { return !c.group.empty(); }))
    out += group_line(widths, colour);
  std::vector<Value> titles;
  for (const Column& column : columns_) titles.push_back({column.title, Paint::kBold});
  out += line(titles, widths, colour);
  for (const auto& row : rows_) out += line(row, widths, colour);
  if (const std::size_t hidden = columns_.size() - widths.size(); hidden > 0)
    out += paint(fmt::format("({} more column{} on a wider terminal)", hidden, hidden == 1 ? "" : "s"),
                 Paint::kDim, colour) +
           "\n";
  return out;
}

}  // namespace earshot
