// Pages that need no network and no server: a template, a style, data, and scripts the browser is told to
// trust.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "earshot/core/json.hpp"

namespace earshot {

struct Page {
  std::string_view title;
  std::string_view body;    // markup of ours
  std::string_view script;  // as join_scripts made it
};

/// Fills the template that all pages stand in (assets/page.html). Its policy names the two scripts by their
/// digest, so that the browser runs these exact bytes and no others; nothing in `data` can become markup or
/// script.
std::string render_page(const Page& page, const Json& data);

std::string join_scripts(std::initializer_list<std::string_view> scripts);

}  // namespace earshot
