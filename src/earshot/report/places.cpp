#include "earshot/report/places.hpp"

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/report/assets.hpp"
#include "earshot/report/page.hpp"

namespace earshot {
namespace {

[[noreturn]] void refuse(const std::string& why) {
  fail(Fault::kData, "not a collection of places: " + why);
}

void require_list(const Json& parent, const std::string& key, std::size_t size) {
  const auto found = parent.find(key);
  if (found == parent.end() || !found->is_array() || found->size() != size)
    refuse(fmt::format("\"{}\" must list {} numbers", key, size));
}

std::size_t count(const Json& parent, const std::string& key) {
  const auto found = parent.find(key);
  if (found == parent.end() || !found->is_number_integer() || found->get<std::int64_t>() < 0)
    refuse(fmt::format("\"{}\" must be a count", key));
  return found->get<std::size_t>();
}

const Json& part(const Json& parent, const std::string& key) {
  const auto found = parent.find(key);
  if (found == parent.end() || !found->is_object()) refuse(fmt::format("\"{}\" is missing", key));
  return *found;
}

void check_collection(const Json& collection) {
  if (!collection.is_object()) refuse("an object is expected");
  const std::size_t places = count(collection, "places");
  const Json& by_place = part(collection, "by_place");
  for (const char* key :
       {"estimate", "standard_error", "lower", "upper", "self_report", "expected_distance", "epsilon"})
    require_list(by_place, key, places);
  if (by_place.contains("truth")) require_list(by_place, "truth", places);
  for (const char* key : {"statement", "user_statement", "mechanism", "check_ins", "collector"})
    part(collection, key);
  if (!collection.contains("grid")) return;
  const auto cells = [&](const Json& grid) { return count(grid, "rows") * count(grid, "columns"); };
  if (cells(part(collection, "grid")) != places)
    refuse("the grid has another number of cells than there are places");
  require_list(collection, "reports", cells(part(collection, "report_grid")));
}

}  // namespace

std::string render_places(const Json& collection) {
  check_collection(collection);
  static const std::string script =
      join_scripts({assets::base(), assets::charts(), assets::maps(), assets::places_script()});
  return render_page({"earshot collection", assets::places_body(), script}, collection);
}

}  // namespace earshot
