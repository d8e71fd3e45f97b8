#include "earshot/experiment/override.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/core/toml_json.hpp"

namespace earshot {
namespace {

/// The text as one TOML value, or discarded when it is none.
Json toml_value(std::string_view text) {
  std::string refusal;
  const TomlListener listener{[](const std::string&, unsigned) {},
                              [&](const std::string&, const std::string& why) { refusal = why; }};
  try {
    const Json document = toml_to_json(fmt::format("value = {}\n", text), listener);
    if (!refusal.empty()) fail(Fault::kUsage, fmt::format("--set: \"{}\": {}", text, refusal));
    return document.size() == 1 ? document.at("value") : Json(Json::value_t::discarded);
  } catch (const TomlSyntaxError&) {
    return Json::value_t::discarded;
  }
}

void refuse_unprintable(std::string_view text) {
  const bool control = std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
  bool encoded = true;
  try {
    (void)Json(text).dump();
  } catch (const Json::exception&) {
    encoded = false;
  }
  if (control || !encoded) fail(Fault::kUsage, "--set: the value must be one line of UTF-8 text");
}

}  // namespace

Override parse_override(std::string_view text) {
  refuse_unprintable(text);
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0 || equals + 1 == text.size())
    fail(Fault::kUsage,
         fmt::format("--set: \"{}\" is not of the form key=value, as in graph.nodes=20", text));
  const std::string_view value = text.substr(equals + 1);
  Json parsed = toml_value(value);
  if (parsed.is_discarded()) {
    if (std::string_view("\"'[{#").find(value.front()) != std::string_view::npos)
      fail(Fault::kUsage, fmt::format("--set: \"{}\" is neither a TOML value nor a plain word", value));
    parsed = std::string(value);
  }
  return {std::string(text.substr(0, equals)), std::move(parsed)};
}

}  // namespace earshot
