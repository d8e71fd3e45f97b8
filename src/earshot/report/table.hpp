// Text tables for terminals: columns line up whatever alphabet the names use.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace earshot {

/// Columns a text takes on a terminal: combining marks take none, East Asian wide characters two, a broken
/// byte one.
std::size_t display_width(std::string_view text);

/// Control characters (an escape sequence in a node name, say) and broken bytes replaced by "�", tabs and
/// line breaks by a space.
std::string printable(std::string_view text);

/// Cut to `width` columns, the last one "…" when something is missing.
std::string shorten(std::string_view text, std::size_t width);

/// Words broken into lines of at most `width` columns, every line after the first indented.
std::string wrap(std::string_view text, std::size_t width, std::size_t indent = 0);

enum class Paint { kNone, kBold, kDim, kRed, kGreen };

/// `text` in the given colour; unchanged when `colour` is false.
std::string paint(std::string_view text, Paint paint, bool colour);

class TextTable {
 public:
  struct Value {
    std::string text;
    Paint paint = Paint::kNone;
  };
  /// A column of words is aligned left and may be shortened; a column of numbers is aligned right and may
  /// not.
  enum class Kind { kWords, kNumbers };

  void add_column(std::string title, Kind kind, std::string group = "");
  void add_row(std::vector<Value> values);

  /// Lines of at most `width` columns. Words are shortened first; then columns are left out from the right,
  /// and a last line says how many.
  std::string render(std::size_t width, bool colour) const;

 private:
  struct Column {
    std::string title, group;
    Kind kind;
  };
  std::vector<std::size_t> natural_widths() const;
  std::vector<std::size_t> fitted_widths(std::size_t width) const;
  std::string group_line(const std::vector<std::size_t>& widths, bool colour) const;
  std::string line(const std::vector<Value>& values, const std::vector<std::size_t>& widths,
                   bool colour) const;

  std::vector<Column> columns_;
  std::vector<std::vector<Value>> rows_;
};

}  // namespace earshot
