// TOML values as JSON; nothing but its source knows the TOML library.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "earshot/core/json.hpp"

namespace earshot {

/// What the conversion reports on its way.
struct TomlListener {
  /// Called for every key and every table of an array.
  std::function<void(const std::string& path, unsigned line)> on_key;
  /// Called for a value JSON cannot hold; it becomes null.
  std::function<void(const std::string& path, const std::string& why)> on_refused;
};

/// A syntax error in TOML text.
struct TomlSyntaxError {
  unsigned line;
  std::string why;
};

/// The document as JSON, keys in the order of the text. Throws TomlSyntaxError.
Json toml_to_json(std::string_view text, const TomlListener& listener);

}  // namespace earshot
