#include "earshot/core/toml_json.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <toml++/toml.h>

namespace earshot {
namespace {

class Converter {
 public:
  explicit Converter(const TomlListener& listener) : listener_(listener) {}

  Json table(const toml::table& table, const std::string& path) {
    // The library sorts keys by name; sweep axes and reports need the author's order.
    std::vector<std::pair<const toml::key*, const toml::node*>> entries;
    for (auto&& [key, node] : table) entries.emplace_back(&key, &node);
    std::ranges::sort(entries, [](const auto& a, const auto& b) {
      const auto& x = a.first->source().begin;
      const auto& y = b.first->source().begin;
      return std::pair(x.line, x.column) < std::pair(y.line, y.column);
    });
    Json object = Json::object();
    for (const auto& [key, node] : entries) {
      const std::string name(key->str());
      const std::string inner = path.empty() ? name : path + "." + name;
      listener_.on_key(inner, key->source().begin.line);
      object[name] = value(*node, inner);
    }
    return object;
  }

 private:
  Json value(const toml::node& node, const std::string& path) {
    if (const auto* nested = node.as_table()) return table(*nested, path);
    if (const auto* items = node.as_array()) return array(*items, path);
    if (const auto* text = node.as_string()) return text->get();
    if (const auto* integer = node.as_integer()) return integer->get();
    if (const auto* boolean = node.as_boolean()) return boolean->get();
    if (const auto* real = node.as_floating_point()) {
      if (std::isfinite(real->get())) return real->get();
      listener_.on_refused(path, "nan and inf are not allowed");
    } else {
      listener_.on_refused(path, "dates and times have no meaning here");
    }
    return nullptr;
  }

  Json array(const toml::array& items, const std::string& path) {
    Json list = Json::array();
    for (std::size_t i = 0; i < items.size(); ++i) {
      const toml::node& item = items[i];
      // Only tables have keys to be found again; plain items are told apart well enough by their value.
      const std::string inner = item.is_table() ? fmt::format("{}[{}]", path, i) : path;
      if (item.is_table()) listener_.on_key(inner, item.source().begin.line);
      list.push_back(value(item, inner));
    }
    return list;
  }

  const TomlListener& listener_;
};

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

/// Whether everything outside quotes and comments is ASCII. A quote counts only where a key or a value may
/// begin; texts of several lines are not followed.
bool is_plain(std::string_view line) {
  constexpr std::string_view kBeforeText = "=[{,.\n";
  char quote = '\0';
  char before = '\n';  // the last character outside quotes that is no blank
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != '\0') {
      if (c == '\\' && quote == '"') ++i;
      if (c == quote) quote = '\0';
      continue;
    }
    if (c == '#') return true;
    if (static_cast<unsigned char>(c) >= 0x80) return false;
    if ((c == '"' || c == '\'') && kBeforeText.find(before) != std::string_view::npos) {
      if (line.substr(i, 3) == std::string(3, c)) return false;
      quote = c;
    }
    if (c != ' ' && c != '\t') before = c;
  }
  return true;
}

/// Version 3.3 of the library behaves in an undefined way on characters outside quotes that are not ASCII,
/// also where it looks ahead in texts of several lines.
void check_characters(std::string_view text) {
  if (is_ascii(text)) return;
  for (unsigned number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (!is_plain(line)) {
      throw TomlSyntaxError{number,
                            "letters other than ASCII belong in quotes of one line, and a file that has any "
                            "cannot have texts of several lines"};
    }
  }
}

}  // namespace

Json toml_to_json(std::string_view text, const TomlListener& listener) {
  check_characters(text);
  try {
    const toml::table parsed = toml::parse(text);
    return Converter(listener).table(parsed, "");
  } catch (const toml::parse_error& error) {
    std::string why(error.description());
    std::ranges::replace_if(
        why, [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
    throw TomlSyntaxError{error.source().begin.line, why};
  }
}

}  // namespace earshot
