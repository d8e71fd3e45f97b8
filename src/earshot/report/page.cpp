#include "earshot/report/page.hpp"

#include <array>
#include <span>
#include <utility>

#include "earshot/core/files.hpp"
#include "earshot/report/assets.hpp"

namespace earshot {
namespace {

/// JSON inside a script element ends at "</" or changes meaning at "<!--": no "<" is left in it.
std::string script_safe(const Json& json) {
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) {
    if (c == '<')
      safe += "\\u003c";
    else
      safe += c;
  }
  return safe;
}

/// The content-security-policy token of an inline script: the browser then runs these exact bytes and no
/// others.
std::string script_token(std::string_view script) {
  const std::string hex =
      sha256(std::span(reinterpret_cast<const std::uint8_t*>(script.data()), script.size()));
  Bytes digest;
  for (std::size_t i = 0; i < hex.size(); i += 2)
    digest.push_back(static_cast<std::uint8_t>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  return "'sha256-" + base64(digest) + "'";
}

using Fillings = std::span<const std::pair<std::string_view, std::string_view>>;

/// Replaces each {{name}} of the template once; what is filled in is never looked at again.
std::string fill(std::string_view page, Fillings fillings) {
  std::string filled;
  while (true) {
    const std::size_t open = page.find("{{");
    const std::size_t close = page.find("}}", open);
    if (open == std::string_view::npos || close == std::string_view::npos) return filled.append(page);
    filled.append(page.substr(0, open));
    const std::string_view name = page.substr(open + 2, close - open - 2);
    for (const auto& [key, value] : fillings)
      if (key == name) filled.append(value);
    page.remove_prefix(close + 2);
  }
}

}  // namespace

std::string render_page(const Page& page, const Json& data) {
  static const std::string library_token = script_token(assets::library());
  const std::string policy = library_token + " " + script_token(page.script);
  const std::string safe = script_safe(data);
  const std::array<std::pair<std::string_view, std::string_view>, 7> fillings{{{"policy", policy},
                                                                               {"title", page.title},
                                                                               {"style", assets::style()},
                                                                               {"body", page.body},
                                                                               {"data", safe},
                                                                               {"library", assets::library()},
                                                                               {"script", page.script}}};
  return fill(assets::page(), fillings);
}

std::string join_scripts(std::initializer_list<std::string_view> scripts) {
  std::string all;
  for (const std::string_view script : scripts) all.append(script);
  return all;
}

}  // namespace earshot
