#include "earshot/core/json_text.hpp"

#include <fmt/format.h>

#include "earshot/core/error.hpp"

namespace earshot {

Json parse_json(std::string_view text, std::string_view what) {
  try {
    return Json::parse(text, [what](int depth, Json::parse_event_t, Json&) {
      if (depth > kDeepestJson)
        fail(Fault::kData, fmt::format("{} is nested more than {} deep", what, kDeepestJson));
      return true;
    });
  } catch (const Json::exception&) {
    fail(Fault::kData, fmt::format("{} is not JSON", what));
  }
}

}  // namespace earshot
