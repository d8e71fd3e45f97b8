// A results document as types: everything a report shows, checked once, so that no renderer meets a surprise.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "earshot/core/json.hpp"
#include "earshot/report/place_maps.hpp"

namespace earshot {

struct NetworkFacts {
  std::vector<std::string> nodes;
  std::vector<std::pair<std::size_t, std::size_t>> edges;
  std::optional<double> diameter, spectral_gap, rounds;
  bool operator==(const NetworkFacts&) const = default;
};

/// A linear combination of hidden values that the attackers know although they know none of its terms.
struct HiddenRelation {
  std::vector<std::string> nodes, coefficients;
};

/// What the structure alone gives to one set of colluding attackers.
struct ExposureFacts {
  std::vector<std::string> attackers, reconstructible;
  std::map<std::string, double> first_round;
  std::map<std::string, std::optional<double>> amplification;  // nullopt: beyond what float64 can carry
  std::vector<double> by_round;  // nodes reconstructible after 1, 2, 3 … rounds
  std::vector<HiddenRelation> relations;
};

struct StatementFacts {
  bool is_private = false;
  std::optional<double> epsilon, delta;
  std::string definition, unit, adjacency, adversary;
  std::vector<std::string> assumptions;
};

/// Rows of numbers and words; null cells stay null.
struct TableFacts {
  std::vector<std::string> columns;
  std::vector<std::vector<Json>> rows;
  std::optional<std::size_t> column(const std::string& name) const;
};

struct Spread {
  std::optional<double> mean, std, min, max, count;
};

struct GalleryImage {
  std::string attacker, victim, image;
  std::optional<double> psnr;
};

struct CellResults {
  std::vector<std::pair<std::string, std::string>> settings;  // the swept keys only
  std::optional<NetworkFacts> network;
  std::vector<ExposureFacts> exposure;
  std::optional<StatementFacts> statement;
  std::map<std::string, TableFacts> tables;
  std::map<std::string, std::map<std::string, Spread>> summary;
  std::map<std::string, std::string> truths;  // base64 PNG by node
  std::vector<GalleryImage> gallery;
  std::optional<PlaceMaps> places;
};

struct CurvePoint {
  Json x;  // a number or a word
  std::optional<double> mean, std, count;
};

struct CurveSeries {
  std::string name, y;
  std::vector<CurvePoint> points;
};

struct CurveFacts {
  std::string title, x;
  std::vector<CurveSeries> series;
};

struct ExpectationFacts {
  std::string source, what, measure, note;
  std::optional<double> published, tolerance, at_least, at_most, measured;
  std::vector<std::optional<double>> compared;  // the two values whose difference was measured, or none
  std::optional<bool> met;
};

struct Results {
  std::string version, command, name, title, reference, seed, trials;
  Json plan;  // null when the document has none
  std::vector<CellResults> cells;
  std::vector<CurveFacts> curves;
  std::vector<ExpectationFacts> expectations;
};

/// Throws Error(kData) naming the first part that is not what a results document holds. Parts may be absent.
Results read_results(const Json& document);

/// A word as it is, a number in its shortest form, nothing for null.
std::string plain_text(const Json& value);

}  // namespace earshot
