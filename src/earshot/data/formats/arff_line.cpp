#include "earshot/data/formats/arff_line.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/data/formats/plain_text.hpp"

namespace earshot {

ArffLine::ArffLine(std::string_view text) : text_(text) {
  skip_blanks();
}

void ArffLine::skip_blanks() {
  text_.remove_prefix(std::min(text_.find_first_not_of(" \t"), text_.size()));
  if (text_.starts_with('%')) text_ = {};
}

bool ArffLine::take(char c) {
  if (!starts_with(c)) return false;
  text_.remove_prefix(1);
  skip_blanks();
  return true;
}

void ArffLine::expect_end() const {
  if (!at_end()) fail(Fault::kData, fmt::format("{} found where the line should end", in_quotes(text_)));
}

void ArffLine::read_quoted(TextCell& word) {
  const char quote = text_.front();
  for (std::size_t i = 1; i < text_.size(); ++i) {
    if (text_[i] == quote) {
      text_.remove_prefix(i + 1);
      return skip_blanks();
    }
    if (text_[i] == '\\' && i + 1 < text_.size()) ++i;
    word.text += text_[i];
  }
  fail(Fault::kData, fmt::format("the quote of {} is not closed on its line", in_quotes(text_)));
}

void ArffLine::read_word(TextCell& word) {
  word.text.clear();
  word.quoted = starts_with('\'') || starts_with('"');
  if (word.quoted) return read_quoted(word);
  const std::string_view found = text_.substr(0, text_.find_first_of(" \t,{}%"));
  if (found.empty())
    fail(Fault::kData, at_end() ? "the line ends where a value should follow"
                                : fmt::format("{} found where a value should be", in_quotes(text_)));
  if (found.find_first_of("'\"") != std::string_view::npos)
    fail(Fault::kData, fmt::format("a quote inside {}; quote the whole value", in_quotes(found)));
  word.text = found;
  text_.remove_prefix(found.size());
  skip_blanks();
}

}  // namespace earshot
