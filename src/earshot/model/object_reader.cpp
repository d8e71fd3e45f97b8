#include "earshot/model/object_reader.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/core/text.hpp"

namespace earshot {
namespace {

/// Larger numbers describe nothing that fits into memory.
constexpr std::uint64_t kLargestNumber = std::uint64_t{1} << 40;

[[noreturn]] void refuse(const std::string& why) {
  fail(Fault::kData, why);
}

/// A word of the file as it may stand in a message: short, on one line.
std::string shown_word(std::string_view word) {
  constexpr std::size_t kShown = 40;
  const Json shown = std::string(word.substr(0, kShown)) + (word.size() > kShown ? "..." : "");
  return shown.dump(-1, ' ', true, Json::error_handler_t::replace);
}

std::string hint(std::string_view word, std::span<const std::string> allowed) {
  return suggest(word.substr(0, 100), allowed);
}

std::size_t size_of(const Json& value, const char* key) {
  const bool whole =
      value.is_number_unsigned() || (value.is_number_integer() && value.get<std::int64_t>() >= 0);
  if (!whole) refuse(fmt::format("\"{}\" must be a whole number that is not negative", key));
  const auto number = value.get<std::uint64_t>();
  if (number > kLargestNumber) refuse(fmt::format("\"{}\" is above {}", key, kLargestNumber));
  return number;
}

}  // namespace

std::size_t position_of(std::string_view word, std::span<const std::string_view> allowed,
                        std::string_view key) {
  const auto found = std::ranges::find(allowed, word);
  if (found == allowed.end()) {
    const std::vector<std::string> words(allowed.begin(), allowed.end());
    refuse(fmt::format("\"{}\": unknown {}; {}", key, shown_word(word), hint(word, words)));
  }
  return static_cast<std::size_t>(found - allowed.begin());
}

ObjectReader::ObjectReader(const Json& json) : json_(json) {
  if (!json.is_object()) refuse("expected a JSON object");
}

const Json& ObjectReader::at(const char* key) {
  seen_.emplace_back(key);
  const auto found = json_.find(key);
  if (found == json_.end()) refuse(fmt::format("\"{}\" is missing", key));
  return *found;
}

std::size_t ObjectReader::size(const char* key) {
  return size_of(at(key), key);
}

bool ObjectReader::boolean(const char* key) {
  const Json& value = at(key);
  if (!value.is_boolean()) refuse(fmt::format("\"{}\" must be true or false", key));
  return value.get<bool>();
}

double ObjectReader::real(const char* key) {
  const Json& value = at(key);
  if (!value.is_number()) refuse(fmt::format("\"{}\" must be a number", key));
  return value.get<double>();
}

std::string ObjectReader::word(const char* key) {
  const Json& value = at(key);
  if (!value.is_string()) refuse(fmt::format("\"{}\" must be a text", key));
  return value.get<std::string>();
}

const Json& ObjectReader::array(const char* key) {
  const Json& value = at(key);
  if (!value.is_array()) refuse(fmt::format("\"{}\" must be an array", key));
  return value;
}

Shape ObjectReader::shape(const char* key) {
  const Json& value = array(key);
  if (value.size() != 3) refuse(fmt::format("\"{}\" must be [channels, height, width]", key));
  return {size_of(value[0], key), size_of(value[1], key), size_of(value[2], key)};
}

void ObjectReader::finish() const {
  for (const auto& [key, value] : json_.items()) {
    if (std::ranges::find(seen_, key) == seen_.end()) {
      refuse(fmt::format("unknown key {}; {}", shown_word(key), hint(key, seen_)));
    }
  }
}

}  // namespace earshot
