// A text file line by line, and the whole numbers in it: for the plain formats of graph datasets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace earshot {

/// One file of a dataset that consists of several: its content, and its name for messages.
struct TextFile {
  std::string_view text;
  std::string origin;
};

/// Lines end in LF or CRLF; the last one need not end. A byte-order mark is skipped, a zero byte refused.
class TextLines {
 public:
  /// The text must outlive this.
  explicit TextLines(const TextFile& file);

  /// The next line without its end, false when there is none.
  bool next(std::string_view& line);
  /// Fails with `origin:line: why` for the line last read.
  [[noreturn]] void refuse(const std::string& why) const;
  const std::string& origin() const { return origin_; }

  /// The whole of `text` as a number from lowest to highest; refuses anything else, calling it `what`.
  std::int64_t whole_number(std::string_view text, std::string_view what, std::int64_t lowest,
                            std::int64_t highest) const;
  /// The whole of `text` as the number of a node below `nodes`.
  std::uint32_t node(std::string_view text, std::size_t nodes) const;
  /// The next line must be this.
  void expect_header(std::string_view header);

 private:
  std::string_view text_;  // what is left
  std::string origin_;
  std::size_t line_ = 0;
};

/// The pieces between separators: one more than there are separators.
std::vector<std::string_view> split(std::string_view text, char separator);
/// The text without blanks and tabs at its ends.
std::string_view trim(std::string_view text);

}  // namespace earshot
