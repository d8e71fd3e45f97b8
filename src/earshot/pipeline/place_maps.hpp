// What a first trial leaves behind for the maps of a report: the part `places` of a results document.
#pragma once

#include <span>
#include <string>

#include "earshot/pipeline/place_trial.hpp"

namespace earshot {

/// One collection of reports through one mechanism. `to_reports` is the distance from places to reports.
struct PlaceCollection {
  const Channel& channel;
  const PlaceGrid& report_grid;
  const Distances& to_reports;
  std::span<const double> counts;  // by report
  std::span<const double> estimate;
  double emd = 0;
};

/// Shares, and what each place is exposed to, to four digits: more than a map shows.
class PlaceMapsWriter {
 public:
  explicit PlaceMapsWriter(const PlaceData& data);
  void add(const std::string& name, const PlaceCollection& collection);
  Json json() const { return json_; }

 private:
  const PlaceData& data_;
  Json json_;
};

}  // namespace earshot
