#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/core/json_text.hpp"
#include "earshot/data/formats/plain_text.hpp"
#include "earshot/data/places/place_files.hpp"

namespace earshot {
namespace {

/// The text of a member, or nothing when it is not there or no text.
std::optional<std::string> text_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string()) return std::nullopt;
  return found->get<std::string>();
}

/// Longitude comes first in GeoJSON; a height may follow.
void add_position(const Json& position, CheckIns& places) {
  if (!position.is_array() || position.size() < 2 || !position[0].is_number() || !position[1].is_number())
    fail(Fault::kData, "a position must be a list of longitude and latitude");
  const auto longitude = position[0].get<double>();
  const auto latitude = position[1].get<double>();
  if (!on_the_globe(latitude, longitude))
    fail(Fault::kData,
         fmt::format("longitude {} and latitude {} lie outside the globe; GeoJSON has the longitude first",
                     longitude, latitude));
  places.add(latitude, longitude);
}

void add_geometry(const Json& geometry, CheckIns& places) {
  if (geometry.is_null()) {
    ++places.skipped.without_position;
    return;
  }
  const std::optional<std::string> type = geometry.is_object() ? text_of(geometry, "type") : std::nullopt;
  if (!type) fail(Fault::kData, "a geometry must be an object with a type");
  if (*type != "Point" && *type != "MultiPoint") {
    ++places.skipped.other_shapes;
    return;
  }
  const auto coordinates = geometry.find("coordinates");
  if (coordinates == geometry.end() || !coordinates->is_array())
    fail(Fault::kData, "a point has no coordinates");
  if (*type == "Point" && !coordinates->empty())
    add_position(*coordinates, places);
  else if (coordinates->empty())
    ++places.skipped.without_position;
  else
    for (const Json& position : *coordinates) add_position(position, places);
}

void add_feature(const Json& feature, CheckIns& places) {
  if (!feature.is_object() || text_of(feature, "type") != "Feature")
    fail(Fault::kData, "the type must be Feature");
  const auto geometry = feature.find("geometry");
  if (geometry == feature.end()) fail(Fault::kData, "a feature has no geometry; write null if there is none");
  add_geometry(*geometry, places);
}

/// Reads the members of "features" as the parser finishes them, and drops them from the document.
class FeatureReader {
 public:
  FeatureReader(CheckIns& places, const std::string& origin) : places_(places), origin_(origin) {}

  bool operator()(int depth, Json::parse_event_t event, Json& parsed) {
    using Event = Json::parse_event_t;
    if (depth > kDeepestJson)
      fail(Fault::kData, fmt::format("{}: is nested more than {} deep", origin_, kDeepestJson));
    if (event == Event::key && depth == 1) inside_features_ = parsed == "features";
    const bool finished = event == Event::object_end || event == Event::array_end || event == Event::value;
    if (depth != 2 || !finished || !inside_features_) return true;
    ++features_;
    with_context(fmt::format("{}: feature {}", origin_, features_), [&] { add_feature(parsed, places_); });
    return false;
  }

  std::size_t features() const { return features_; }

 private:
  CheckIns& places_;
  const std::string& origin_;
  bool inside_features_ = false;
  std::size_t features_ = 0;
};

}  // namespace

CheckIns read_geojson_points(std::string_view text, const std::string& origin) {
  text = check_text(text, origin);
  CheckIns places;
  FeatureReader reader(places, origin);
  Json document;
  try {
    document = Json::parse(text, std::ref(reader));
  } catch (const Json::parse_error& error) {
    const std::size_t at = std::min<std::size_t>(error.byte, text.size());
    fail(Fault::kData, fmt::format("{}:{}: is not JSON from here on", origin,
                                   1 + lines_in(text.substr(0, at == 0 ? 0 : at - 1))));
  } catch (const Json::exception&) {
    fail(Fault::kData, origin + ": holds a number that is too large");
  }
  return with_context(origin, [&] {
    const std::optional<std::string> type = document.is_object() ? text_of(document, "type") : std::nullopt;
    const bool collection = type == "FeatureCollection";
    if (!type) fail(Fault::kData, "is no GeoJSON: expected one object with a type");
    if (collection != document.contains("features") || (collection && !document["features"].is_array()))
      fail(Fault::kData, "a FeatureCollection, and nothing else, must have a list of features");
    if (type == "Feature")
      add_feature(document, places);
    else if (!collection)
      add_geometry(document, places);
    return std::move(places);
  });
}

}  // namespace earshot
