#include "statement_text.hpp"

#include <fmt/format.h>

#include "console.hpp"

namespace earshot::cli {
namespace {

std::string headline(const PrivacyStatement& statement, const TerminalStyle& style) {
  if (!statement.is_private()) {
    const char* text = "no guarantee";
    return style.colour ? fmt::format("\x1b[31m{}\x1b[0m", text) : text;
  }
  return fmt::format("epsilon {:.6g} at delta {:g}", *statement.epsilon, statement.delta);
}

/// Words on lines of the given width, continued under the first.
std::string wrapped(const std::string& text, std::size_t indent, std::size_t width) {
  std::string out;
  std::size_t column = indent;
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t end = std::min(text.find(' ', start), text.size());
    const std::string word = text.substr(start, end - start);
    if (column > indent && column + 1 + word.size() > width) {
      out += '\n' + std::string(indent, ' ');
      column = indent;
    }
    if (column > indent) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
    start = end + 1;
  }
  return out;
}

std::string line(const char* label, const std::string& text, const TerminalStyle& style) {
  constexpr std::size_t kIndent = 14;
  return fmt::format("  {:<12}{}\n", label, wrapped(text, kIndent, std::max<std::size_t>(style.width, 60)));
}

std::string plain(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return fmt::format("{:.6g}", value.get<double>());
  return value.dump();
}

}  // namespace

std::string statement_text(const PrivacyStatement& statement, const TerminalStyle& style) {
  std::string out = headline(statement, style) + '\n';
  out += line("definition", statement.definition, style);
  out += line("protects", statement.unit, style);
  out += line("adjacency", statement.adjacency, style);
  out += line("against", statement.adversary, style);
  for (const std::string& assumption : statement.assumptions) out += line("assuming", assumption, style);
  return out;
}

void print_statement(const PrivacyStatement& statement, const Json& facts, bool json) {
  if (json) {
    Json document = to_json(statement);
    document.update(facts);
    print_json(document);
    return;
  }
  fmt::print("{}", statement_text(statement, terminal_style()));
  for (const auto& [key, value] : facts.items()) {
    if (value.is_primitive() && !value.is_null()) fmt::print("  {:<24}{}\n", key, plain(value));
  }
}

}  // namespace earshot::cli
