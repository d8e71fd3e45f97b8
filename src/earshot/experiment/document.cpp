#include "earshot/experiment/document.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "earshot/core/text.hpp"
#include "earshot/core/toml_json.hpp"
#include "earshot/experiment/component_catalogue.hpp"

namespace earshot {

std::string_view parent_path(std::string_view path) {
  const std::size_t cut = path.find_last_of(".[");
  return cut == std::string_view::npos ? std::string_view() : path.substr(0, cut);
}

std::string_view role_of(std::string_view name) {
  const std::size_t dot = name.find('.');
  if (dot == std::string_view::npos || dot + 1 == name.size()) return {};
  const std::string_view role = name.substr(0, dot);
  return std::ranges::find(section_roles(), role) == section_roles().end() ? std::string_view() : role;
}

Document::Document(std::string_view toml_text, std::string origin, std::vector<Problem>& problems)
    : origin_(std::move(origin)) {
  TomlListener listener;
  listener.on_key = [&](const std::string& path, unsigned line) { lines_.emplace(path, line); };
  listener.on_refused = [&](const std::string& path, const std::string& why) {
    refused_.push_back(path);
    problems.push_back({locate(path), why, "give a plain value"});
  };
  try {
    root = toml_to_json(toml_text, listener);
  } catch (const TomlSyntaxError& error) {
    throw PlanError({{fmt::format("{}:{}", origin_, error.line), "not valid TOML: " + error.why, ""}});
  }
}

std::string Document::locate(std::string_view path) const {
  for (std::string_view known = path; !known.empty(); known = parent_path(known)) {
    const auto found = lines_.find(known);
    if (found == lines_.end()) continue;
    if (found->second == kCommandLine) return fmt::format("--set {}", path);
    return fmt::format("{}:{}: {}", origin_, found->second, path);
  }
  return fmt::format("{}:1: {}", origin_, path);
}

void Document::place_like(const std::string& path, std::string_view other) {
  const auto found = lines_.find(other);
  if (found != lines_.end()) lines_[path] = found->second;
}

bool Document::refused(std::string_view path) const {
  return std::ranges::any_of(refused_, [&](const std::string& bad) {
    return bad.starts_with(path) &&
           (bad.size() == path.size() || bad[path.size()] == '.' || bad[path.size()] == '[');
  });
}

void Document::apply(const Override& change, std::vector<Problem>& problems) {
  overridden_ = true;
  const std::size_t dot = change.key.find('.');
  const std::string head = change.key.substr(0, dot);
  const std::string rest = dot == std::string::npos ? "" : change.key.substr(dot + 1);
  static const std::vector<std::string> plain{"name", "title", "reference", "seed", "trials"};
  if (dot == std::string::npos && std::ranges::find(plain, head) != plain.end()) {
    root[head] = change.value;
    lines_[head] = kCommandLine;
  } else if (head == "sweep" && !rest.empty()) {
    if (!root.contains("sweep")) root["sweep"] = Json::object();
    if (root["sweep"].is_object()) root["sweep"][rest] = change.value;
    lines_[change.key] = kCommandLine;
  } else if (!role_of(change.key).empty()) {
    set_section_key(change, head, rest, problems);
  } else {
    std::vector<std::string> heads = plain;
    for (const std::string& role : section_roles()) heads.push_back(role + ".KEY");
    heads.emplace_back("sweep.AXIS");
    problems.push_back({"--set " + change.key, "this key cannot be set", suggest(change.key, heads)});
  }
}

/// A value given on the command line ends the sweep over that key, if there was one.
void Document::set_section_key(const Override& change, const std::string& role, const std::string& key,
                               std::vector<Problem>& problems) {
  if (!root.contains(role)) {
    root[role] = Json::object();
    lines_[role] = kCommandLine;
  }
  if (root[role].is_object()) root[role][key] = change.value;
  lines_[change.key] = kCommandLine;
  const auto sweep = root.find("sweep");
  if (sweep == root.end() || !sweep->is_object()) return;
  sweep->erase(change.key);
  for (const auto& [axis, points] : sweep->items()) {
    const bool bound = points.is_array() && std::ranges::any_of(points, [&](const Json& point) {
                         return point.is_object() && point.contains(change.key);
                       });
    if (bound)
      problems.push_back({"--set " + change.key,
                          fmt::format("axis \"{}\" of the sweep sets it as well", axis),
                          fmt::format("set the axis instead: --set sweep.{}=[...]", axis)});
  }
}

}  // namespace earshot
