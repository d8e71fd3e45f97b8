// A text file line by line without holding it in memory, plain or gzipped: for files of millions of lines.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "earshot/data/formats/text_lines.hpp"

namespace earshot {

/// Lines end in LF or CRLF; the last one need not end. A byte-order mark is skipped; a zero byte and a line
/// longer than kLongestLine are refused. Memory does not grow with the file.
class LineStream {
 public:
  static constexpr std::size_t kLongestLine = std::size_t{1} << 16;

  /// Of a file, decompressed if it starts with the gzip magic.
  explicit LineStream(const std::filesystem::path& path);
  /// Of text in memory, which must outlive this.
  explicit LineStream(const TextFile& file);

  /// The next line without its end, false when there is none; valid until the next call.
  bool next(std::string_view& line);
  /// Fails with `origin:line: why` for the line last read.
  [[noreturn]] void refuse(const std::string& why) const;
  const std::string& origin() const { return origin_; }
  /// The number of the line last read, counted from 1.
  std::size_t line() const { return line_; }

 private:
  /// Puts up to that many bytes there and says how many; none at the end.
  using Source = std::function<std::size_t(std::span<char>)>;

  LineStream(Source source, std::string origin);
  /// Moves what is left to the front and reads on behind it.
  void refill();

  Source source_;
  std::string origin_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  // what is left of the buffer
  std::size_t end_ = 0;
  bool exhausted_ = false;
  std::size_t line_ = 0;
};

}  // namespace earshot
