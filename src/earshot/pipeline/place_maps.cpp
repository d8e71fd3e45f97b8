#include "earshot/pipeline/place_maps.hpp"

#include <cmath>

#include "earshot/collect/estimation/distribution.hpp"
#include "earshot/collect/location/row_profile.hpp"

namespace earshot {
namespace {

constexpr int kDigits = 4;

/// Null where the value is not finite.
Json rounded(double value) {
  if (!std::isfinite(value)) return nullptr;
  if (value == 0) return 0;
  const double scale = std::pow(10.0, kDigits - 1 - std::floor(std::log10(std::abs(value))));
  const double brief = std::round(value * scale) / scale;
  return std::isfinite(brief) ? brief : value;
}

Json rounded(std::span<const double> values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(rounded(value));
  return list;
}

}  // namespace

PlaceMapsWriter::PlaceMapsWriter(const PlaceData& data)
    : data_(data),
      json_{{"grid", to_json(data.grid)},
            {"truth", rounded(data.tally.prior())},
            {"collections", Json::array()}} {}

void PlaceMapsWriter::add(const std::string& name, const PlaceCollection& collection) {
  std::vector<double> self_report, epsilon;
  for (const RowProfile& place : row_profiles(collection.channel, collection.to_reports, data_.distances)) {
    self_report.push_back(place.self_report);
    epsilon.push_back(place.epsilon);
  }
  json_["collections"].push_back({{"name", name},
                                  {"emd", rounded(collection.emd)},
                                  {"report_grid", to_json(collection.report_grid)},
                                  {"reports", rounded(normalised(collection.counts))},
                                  {"estimate", rounded(collection.estimate)},
                                  {"self_report", rounded(self_report)},
                                  {"epsilon", rounded(epsilon)}});
}

}  // namespace earshot
