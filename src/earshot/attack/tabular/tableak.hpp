// TabLeak (Vero, Balunović, Dimitrov & Vechev 2023): rows of a table from the gradient of a batch, by an
// ensemble of relaxed searches.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "earshot/attack/inversion/inversion.hpp"
#include "earshot/attack/tabular/ensemble.hpp"
#include "earshot/attack/tabular/table_layout.hpp"
#include "earshot/data/tables/table_encoder.hpp"

namespace earshot {

/// Settings of the authors' code.
struct TabLeakOptions {
  std::size_t members = 30;
  FirstOrderOptions descent{StepRule::kAdam, 1500, 0.06, true, false};
  Matching matching{MatchingKind::kCosine};
  CodeRelaxation relaxation = CodeRelaxation::kPlaces;
  std::vector<double> targets{};  // the labels, known: records x output size
  bool single_precision = true;   // of the searches; local training is unrolled in double
  std::uint64_t seed = 1;
  std::uint64_t trial = 0;
};

struct TabLeak {
  PooledTable pooled;                        // the reconstruction
  std::vector<std::vector<double>> members;  // relaxed records of each search that met a finite value
  /// How far the gradient of each member's cells, not of its relaxed records, is from the observed one.
  std::vector<double> distances;
  std::size_t best = 0;  // the member of the least
  double seconds = 0;
};

/// The searches of the members, as one inversion with that many restarts.
InversionOptions member_searches(const TableEncoder& encoder, const Observation& observation,
                                 const TabLeakOptions& options);

/// The model reads records of the encoder. Fails if no search met a finite value.
TabLeak tableak(const Model& model, const TableEncoder& encoder, const Observation& observation,
                const TabLeakOptions& options, const OnSearchStep& on_step = {});

}  // namespace earshot
