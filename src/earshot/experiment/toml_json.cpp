#include "earshot/experiment/toml_json.hpp"

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

}  // namespace

Json toml_to_json(std::string_view text, const TomlListener& listener) {
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
