// An attacker at work on one observation: the cheapest exact way if there is one, a search if not.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "earshot/attack/inversion/dense_inversion.hpp"
#include "earshot/attack/inversion/inversion.hpp"

namespace earshot {

/// Where an attacker has the labels from.
enum class LabelSource {
  kKnown,
  kInferred,
  kOptimised,
  kTraversed,
  kPerClass,  // one record of every class is sought as if it were alone; the classes that match best are kept
};
inline constexpr std::array<std::string_view, 5> kLabelSourceNames{"known", "inferred", "optimised",
                                                                   "traversed", "per_class"};

/// What an attacker has beside the observation.
struct AttackerKnowledge {
  const Architecture* architecture = nullptr;  // null: a network it can ask but not look into
  Shape input;
  std::optional<Box> range{};             // of the numbers of a record
  std::optional<KnownMoments> moments{};  // of records of this kind; the weight is the search's
  std::vector<double> targets{};          // told labels, records x outputs
  /// Public records to start from, as many as were observed, given their target rows (none: not settled).
  std::function<std::vector<double>(std::span<const double> targets)> similar{};
  double noise_scale = 0;  // of the noise or quantiser on the observation; 0: not known
  bool pruned = false;     // numbers of the observation that are 0 were left out by the sender
};

struct AttackOptions {
  bool closed_forms = true;  // tried before any search
  double tolerance = 1e-6;   // relative residual below which a closed form counts as exact
  bool search = true;
  /// Without a search: what the first dense layer shows of one record, exact or not.
  DenseFit fit = DenseFit::kLargestBias;
  LabelSource labels = LabelSource::kInferred;
  bool in_range = false;                // the search keeps to the known range
  double moments_weight = 0;            // of the known moments as a prior
  std::vector<double> layer_weights{};  // of the matching, one per layer with parameters; empty: all 1
  InversionOptions inversion;           // labels, targets, given start, box and moments are filled in
};

struct Reconstruction {
  std::vector<double> inputs;         // records x input size
  std::vector<double> targets;        // records x outputs; empty when the observation does not tell them
  std::string route;                  // which way it was found
  double residual = 0;                // closed forms: |recomputed - observed| / |observed|
  std::size_t clones = 0;             // other records that would give the very same observation
  std::optional<Inversion> search{};  // its account; record by record (kPerClass): distances are means
};

/// Labels traversed for several records are all sets of different classes, at most this many.
inline constexpr std::size_t kMostCandidates = 1000;

/// None when closed forms find nothing and no search is wanted, or none is possible because the models of the
/// observation are not known (their parameters are empty). Sees no truth: what is told stands in `knowledge`.
/// Fault::kData: labels to be inferred do not show, or the search met nothing finite.
std::optional<Reconstruction> reconstruct(const Model& model, const Observation& observation,
                                          const AttackerKnowledge& knowledge, const AttackOptions& options,
                                          const OnSearchStep& on_step = {});

}  // namespace earshot
