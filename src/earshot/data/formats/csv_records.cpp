#include "earshot/data/formats/csv_records.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/data/formats/plain_text.hpp"

namespace earshot {
namespace {

// A cell in memory is far larger than the comma that makes one, so a line of commas must not be believed.
constexpr std::size_t kMostCells = 65536;

/// What ends an unquoted cell; empty for a delimiter we do not have.
std::string_view cell_ends(char delimiter) {
  constexpr std::array<std::string_view, 5> kEnds{",\n", ";\n", "\t\n", "|\n", " \t\n"};
  const auto found = std::ranges::find(kEnds, delimiter, [](std::string_view ends) { return ends.front(); });
  return found != kEnds.end() ? *found : std::string_view();
}

/// The text without its last line ends.
std::string_view without_final_line_ends(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(text.ends_with("\r\n") ? 2 : 1);
  return text;
}

}  // namespace

CsvRecords::CsvRecords(std::string_view text, std::string origin, char delimiter, std::size_t first_line)
    : origin_(std::move(origin)), delimiter_(delimiter), cell_ends_(cell_ends(delimiter)), line_(first_line) {
  if (cell_ends_.empty())
    fail(Fault::kConfig,
         fmt::format("delimiter {} found, allowed: comma, semicolon, tab, vertical bar, blank",
                     in_quotes(std::string_view(&delimiter, 1))));
  text_ = without_final_line_ends(check_text(text, origin_));
}

void CsvRecords::refuse(std::size_t line, const std::string& why) const {
  fail(Fault::kData, fmt::format("{}:{}: {}", origin_, line, why));
}

bool CsvRecords::at_line_end() const {
  return text_.empty() || text_.front() == '\n' || text_.starts_with("\r\n");
}

bool CsvRecords::at_cell_end() const {
  return at_line_end() || cell_ends_.find(text_.front()) != std::string_view::npos;
}

void CsvRecords::skip_blanks() {
  while (!at_cell_end() && (text_.front() == ' ' || text_.front() == '\t')) text_.remove_prefix(1);
}

void CsvRecords::skip_separating_blanks() {
  text_.remove_prefix(std::min(text_.find_first_not_of(" \t"), text_.size()));
}

bool CsvRecords::another_cell() {
  if (delimiter_ == ' ') {
    skip_separating_blanks();
    return !at_line_end();
  }
  const bool more = text_.starts_with(delimiter_);
  if (more) text_.remove_prefix(1);
  return more;
}

void CsvRecords::read_quoted(TextCell& cell) {
  const std::size_t start = line_;
  text_.remove_prefix(1);
  for (;;) {
    const std::size_t end = text_.find('"');
    if (end == std::string_view::npos) refuse(start, "a quote is opened here and never closed");
    cell.text += text_.substr(0, end);
    line_ += lines_in(text_.substr(0, end));
    text_.remove_prefix(end + 1);
    if (!text_.starts_with('"')) break;
    cell.text += '"';
    text_.remove_prefix(1);
  }
  skip_blanks();
  if (!at_cell_end())
    refuse(line_, fmt::format("text follows the closing quote of {}; write a quote inside quotes twice",
                              in_quotes(cell.text)));
}

void CsvRecords::read_cell(TextCell& cell) {
  skip_blanks();
  cell.text.clear();
  cell.line = line_;
  cell.quoted = text_.starts_with('"');
  if (cell.quoted) return read_quoted(cell);
  std::size_t length = std::min(text_.find_first_of(cell_ends_), text_.size());
  if (text_.substr(length).starts_with('\n') && text_.substr(0, length).ends_with('\r')) --length;
  std::string_view content = text_.substr(0, length);
  text_.remove_prefix(length);
  while (content.ends_with(' ') || content.ends_with('\t')) content.remove_suffix(1);
  cell.text = content;
  if (content.find('"') != std::string_view::npos)
    refuse(line_,
           fmt::format("a quote inside the unquoted cell {}; quote the whole cell and write its quotes "
                       "twice",
                       in_quotes(content)));
  if (content.find('\r') != std::string_view::npos)
    refuse(line_, fmt::format("a carriage return inside the cell {}; end lines with LF or CRLF",
                              in_quotes(content)));
}

bool CsvRecords::next(std::vector<TextCell>& record) {
  if (text_.empty()) return false;
  if (delimiter_ == ' ') skip_separating_blanks();
  std::size_t count = 0;
  for (bool more = true; more; ++count) {
    if (count == kMostCells) refuse(line_, fmt::format("more than {} fields in one record", kMostCells));
    if (count == record.size()) record.emplace_back();
    read_cell(record[count]);
    more = another_cell();
  }
  record.resize(count);
  if (text_.empty()) return true;
  text_.remove_prefix(text_.front() == '\r' ? 2 : 1);
  ++line_;
  return true;
}

}  // namespace earshot
