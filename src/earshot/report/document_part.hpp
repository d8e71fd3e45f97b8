// Reading a results document part by part: every complaint names the place it is about.
#pragma once

#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/core/json.hpp"
#include "earshot/report/results.hpp"

namespace earshot::parts {

inline constexpr std::size_t kLongestPlace = 120;  // a place in a message; hostile keys may be megabytes long

/// A part of the document and where it is, so that every complaint names its place.
struct Part {
  const Json& json;
  std::string place;

  [[noreturn]] void refuse(std::string_view wanted) const {
    std::string where = place.empty() ? "the document" : place;
    if (where.size() > kLongestPlace) where = where.substr(0, kLongestPlace) + "…";
    fail(Fault::kData,
         fmt::format("not an earshot results document: {} must be {}, found {}", where, wanted, found()));
  }
  std::string found() const {
    if (json.is_number_float() && !std::isfinite(json.get<double>())) return "a number that is not finite";
    return json.is_null() ? "nothing" : json.is_array() ? "a list" : fmt::format("a {}", json.type_name());
  }
  Part at(const std::string& key) const {
    return {json.at(key), place.empty() ? key : fmt::format("{}.{}", place, key)};
  }
  Part at(std::size_t index) const { return {json.at(index), fmt::format("{}[{}]", place, index)}; }
  const Part& object() const {
    if (!json.is_object()) refuse("an object");
    return *this;
  }
  /// True when the key is there; null counts as absent, so that optional parts may be written either way.
  bool has(const std::string& key) const { return object().json.contains(key) && !json.at(key).is_null(); }
};

inline std::string text(const Part& part) {
  if (!part.json.is_string()) part.refuse("text");
  return part.json.get<std::string>();
}

inline double number(const Part& part) {
  if (!part.json.is_number() || !std::isfinite(part.json.get<double>())) part.refuse("a finite number");
  return part.json.get<double>();
}

inline bool truth(const Part& part) {
  if (!part.json.is_boolean()) part.refuse("true or false");
  return part.json.get<bool>();
}

/// Names and swept values: files number their nodes, people name them.
inline std::string word(const Part& part) {
  if (part.json.is_structured() || part.json.is_null()) part.refuse("a word or a number");
  return plain_text(part.json);
}

template <class Read>
auto list(const Part& part, Read read) {
  if (!part.json.is_array()) part.refuse("a list");
  std::vector<decltype(read(part))> items;
  items.reserve(part.json.size());
  for (std::size_t i = 0; i < part.json.size(); ++i) items.push_back(read(part.at(i)));
  return items;
}

template <class Read>
auto keyed(const Part& part, Read read) {
  std::map<std::string, decltype(read(part))> items;
  for (const auto& entry : part.object().json.items()) items.emplace(entry.key(), read(part.at(entry.key())));
  return items;
}

/// The value under `key`, or the type's empty value when the document has none.
template <class Read>
auto maybe(const Part& part, const std::string& key, Read read) -> decltype(read(part)) {
  return part.has(key) ? read(part.at(key)) : decltype(read(part)){};
}

inline std::optional<double> maybe_number(const Part& part, const std::string& key) {
  return part.has(key) ? std::optional(number(part.at(key))) : std::nullopt;
}

inline std::vector<std::string> words(const Part& part) {
  return list(part, word);
}

}  // namespace earshot::parts
