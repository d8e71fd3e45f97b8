// One line of an ARFF file, read word by word.
#pragma once

#include <string>
#include <string_view>

#include "earshot/data/formats/table_schema.hpp"

namespace earshot {

/// A comment (%) ends the line, except inside quotes. Errors carry no location: the caller knows it.
class ArffLine {
 public:
  explicit ArffLine(std::string_view text);

  bool at_end() const { return text_.empty(); }
  bool starts_with(char c) const { return text_.starts_with(c); }
  /// Passes over `c` and the blanks after it, if it is next.
  bool take(char c);
  /// Fails unless the line is used up.
  void expect_end() const;
  /// The next word: quoted by ' or " with backslash escapes, or up to a blank, comma, brace or comment. Only
  /// a quoted one may be empty.
  void read_word(TextCell& word);

 private:
  void skip_blanks();
  void read_quoted(TextCell& word);

  std::string_view text_;  // what is left, without blanks or comment in front
};

}  // namespace earshot
