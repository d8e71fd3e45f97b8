#include "earshot/pipeline/place_trial.hpp"

#include "earshot/collect/estimation/adversary.hpp"
#include "earshot/collect/estimation/bayesian_update.hpp"
#include "earshot/collect/estimation/blahut_arimoto.hpp"
#include "earshot/collect/estimation/earth_mover.hpp"
#include "earshot/collect/location/distance_channels.hpp"
#include "earshot/collect/privic/comparison.hpp"
#include "earshot/collect/privic/published_island.hpp"
#include "earshot/core/error.hpp"
#include "earshot/pipeline/place_maps.hpp"
#include "earshot/pipeline/privic_trial.hpp"
#include "earshot/pipeline/rows.hpp"

namespace earshot {
namespace {

constexpr const char* kPrivic = "privic";
constexpr const char* kComparison = "mechanism_comparison";
constexpr const char* kIsland = "island_exposure";

Channel elastic_channel(const Cell& cell, const PlaceData& data, std::span<const double> prior) {
  const Settings& mechanism = cell.at("mechanism").settings;
  const BlahutArimoto blahut_arimoto(data.distances, mechanism.real("beta"));
  return blahut_arimoto.channel(
      blahut_arimoto.run(prior, {.iterations = mechanism.size("iterations")}).shape);
}

PlaceGrid report_grid(const Cell& cell, const PlaceData& data) {
  return data.grid.widened(cell.at("protocol").settings.size("margin"));
}

/// What everybody's reports through one mechanism, and the estimate from them, came to.
struct Collected {
  std::vector<double> counts, estimate;
  double emd = 0;
};

/// Collects everybody once through each mechanism.
class MechanismTable {
 public:
  MechanismTable(const Cell& cell, const TrialAddress& address, const PlaceData& data)
      : table_(place_columns(cell).at("mechanisms")),
        iterations_(cell.at("protocol").settings.size("update_iterations")),
        address_(address),
        data_(data),
        truth_(data.tally.prior()),
        to_reports_(distances(data.grid, report_grid(cell, data), DistanceUnit::kCells)) {}

  LaplaceMap map() const { return {data_.distances, to_reports_}; }
  std::span<const double> truth() const { return truth_; }

  Collected add(const char* name, const Channel& channel, double kernel_epsilon) {
    const Reporters everybody(data_.tally.counts, Turnout::kEverybody, 1, {},
                              address_.stream(Purpose::kPrivacyNoise));
    // Rounds tell the mechanisms apart.
    std::vector<double> counts = everybody.reports(channel, mechanisms_++);
    std::vector<double> estimate =
        estimate_places(ReportLikelihood(ReportBatch{channel, counts}), {.iterations = iterations_})
            .distribution;
    const MechanismScore score = score_mechanism(truth_, channel, map(), estimate);
    table_.add({name, kernel_epsilon, finite_or_null(score.epsilon), score.information, score.distortion,
                score.emd, score.adversary_error, score.adversary_top1});
    return {std::move(counts), std::move(estimate), score.emd};
  }

  /// The published script's slip: entry j of the estimate is taken for cell j of the widened grid.
  void add_misplaced(const char* name, std::span<const double> estimate) {
    Distances slipped{truth_.size(), truth_.size(), {}};
    for (std::size_t j = 0; j < truth_.size(); ++j) {
      for (std::size_t x = 0; x < truth_.size(); ++x) slipped.value.push_back(to_reports_(x, j));
    }
    const double emd = earth_movers_distance(estimate, truth_, slipped, GroundCost::kAny).distance;
    table_.add({name, nullptr, nullptr, nullptr, nullptr, emd, nullptr, nullptr});
  }

  Json json() const { return table_.json(); }

 private:
  RowTable table_;
  std::size_t iterations_;
  TrialAddress address_;
  const PlaceData& data_;
  std::vector<double> truth_;
  Distances to_reports_;
  std::size_t mechanisms_ = 0;
};

Json run_comparison(const Cell& cell, const TrialAddress& address, const PlaceData& data) {
  MechanismTable table(cell, address, data);
  const PlaceGrid wide = report_grid(cell, data);
  PlaceMapsWriter maps(data);
  const auto draw = [&](const char* title, const Channel& channel, const PlaceGrid& grid,
                        const Distances& to_reports, const Collected& found) {
    if (address.trial == 0)
      maps.add(title, {channel, grid, to_reports, found.counts, found.estimate, found.emd});
  };
  const Channel elastic = elastic_channel(cell, data, table.truth());
  draw("Blahut-Arimoto", elastic, data.grid, data.distances,
       table.add("blahut_arimoto", elastic, cell.at("mechanism").settings.real("beta")));
  const std::pair<const char*, MatchedBy> kernels[] = {
      {"laplace", MatchedBy::kPrivacy},
      {"laplace_equal_distortion", MatchedBy::kDistortion},
      {"laplace_equal_information", MatchedBy::kInformation}};
  for (const auto& [name, what] : kernels) {
    const double epsilon = matching_epsilon(what, table.truth(), elastic, table.map());
    const Channel kernel = laplace_kernel(table.map().to_reports, epsilon);
    const Collected found = table.add(name, kernel, epsilon);
    if (what != MatchedBy::kPrivacy) continue;
    draw("Laplace of equal privacy", kernel, wide, table.map().to_reports, found);
    if (cell.at("protocol").settings.boolean("as_published"))
      table.add_misplaced("laplace_misplaced", found.estimate);
  }
  Json out = {{"tables", {{"mechanisms", table.json()}}}};
  if (address.trial == 0) out["places"] = maps.json();
  return out;
}

/// Reports on the map in the order of its cells; what lies beyond is one more report.
Channel onto_map(const Channel& wide, const PlaceGrid& inner, const PlaceGrid& outer) {
  const auto margin = static_cast<std::size_t>(-outer.origin());
  Channel channel{wide.inputs, inner.cells() + 1, {}};
  for (std::size_t x = 0; x < wide.inputs; ++x) {
    double beyond = 1;
    for (std::size_t y = 0; y < inner.cells(); ++y) {
      const double p = wide(x, (inner.row_of(y) + margin) * outer.columns() + inner.column_of(y) + margin);
      channel.probability.push_back(p);
      beyond -= p;
    }
    channel.probability.push_back(std::max(beyond, 0.0));
  }
  return channel;
}

Json run_island(const Cell& cell, const PlaceData& data) {
  const Settings& protocol = cell.at("protocol").settings;
  const PublishedIsland island =
      published_island(data.tally.prior(), protocol.text("island") == "published" ? IslandMass::kPublished
                                                                                  : IslandMass::kAsWorded);
  const std::vector<double> believed =
      contaminated_prior(island.prior, island.island, protocol.real("false_share"));
  const PlaceGrid outer = report_grid(cell, data);
  const double epsilon = 2 * cell.at("mechanism").settings.real("beta");
  const std::pair<const char*, Channel> channels[] = {
      {"blahut_arimoto", elastic_channel(cell, data, believed)},
      {"laplace", onto_map(laplace_kernel(distances(data.grid, outer, DistanceUnit::kCells), epsilon),
                           data.grid, outer)}};
  RowTable table(place_columns(cell).at("exposure"));
  for (const auto& [name, channel] : channels) {
    for (const auto& [place, at] : {std::pair{"island", island.island}, std::pair{"crowd", island.crowd}}) {
      const PlaceExposure row = place_exposure(channel, data.distances, at, island.zone);
      table.add({place, name, data.grid.row_of(row.mode),
                 data.grid.columns() - 1 - data.grid.column_of(row.mode), row.mode == at,
                 row.mode_probability, row.self, row.zone, row.expected_distance});
    }
  }
  return {{"tables", {{"exposure", table.json()}}}};
}

}  // namespace

bool collects_places(const Cell& cell) {
  const Choice* protocol = cell.find("protocol");
  return protocol != nullptr &&
         (protocol->kind == kPrivic || protocol->kind == kComparison || protocol->kind == kIsland);
}

PlaceData load_places(const Choice& data, const std::filesystem::path& directory) {
  const GowallaCity city =
      data.settings.text("city") == "paris" ? GowallaCity::kParis : GowallaCity::kSanFrancisco;
  const PlaceGrid grid = PlaceGrid::published(city);
  const CheckIns places = load_gowalla(city, directory);
  return {grid, data.settings.boolean("as_published") ? published_tally(places, grid) : tally(places, grid),
          distances(grid, DistanceUnit::kCells)};
}

void check_place_cell(const Cell& cell, const PlaceData& data) {
  const std::string& protocol = cell.at("protocol").kind;
  if (protocol == kPrivic) privic_reporters(cell, {}, data);
  if (protocol == kIsland) published_island(data.tally.prior(), IslandMass::kPublished);
}

Json run_place_trial(const Cell& cell, const TrialAddress& address, const PlaceData& data) {
  const std::string& protocol = cell.at("protocol").kind;
  if (protocol == kPrivic) return run_privic_trial(cell, address, data);
  return protocol == kComparison ? run_comparison(cell, address, data) : run_island(cell, data);
}

TableColumns place_columns(const Cell& cell) {
  const std::string& protocol = cell.at("protocol").kind;
  if (protocol == kPrivic) return privic_columns();
  if (protocol == kComparison)
    return {{"mechanisms",
             {"mechanism", "kernel_epsilon", "epsilon", "information", "distortion", "emd", "adversary_error",
              "adversary_top1"}}};
  return {{"exposure",
           {"place", "mechanism", "mode_row", "mode_column", "mode_is_place", "mode_probability", "self",
            "zone", "expected_distance"}}};
}

}  // namespace earshot
