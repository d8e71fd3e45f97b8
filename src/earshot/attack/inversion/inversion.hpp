// From gradients back to records by search: observation x matching x prior x optimiser x decoder, all
// restarts in one batch. Sees nothing but the observation, so no truth can leak into a result.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "earshot/attack/inversion/decoder.hpp"
#include "earshot/attack/inversion/descent.hpp"
#include "earshot/attack/inversion/matching.hpp"
#include "earshot/attack/inversion/observation.hpp"
#include "earshot/attack/inversion/prior.hpp"

namespace earshot {

/// Where a search starts: its variables, which are the numbers of the records unless a decoder makes these.
enum class Start {
  kNormal,   // standard normal variables
  kUniform,  // uniform on the box, or on [0, 1]; before a decoder on [-1, 1], around the middle of its sets
  kMiddle,   // every variable in the middle of the box, or 0
  kGiven,    // records the attacker has, such as a similar public image
};
inline constexpr std::array<std::string_view, 4> kStartNames{"normal", "uniform", "middle", "given"};

/// What the attacker takes for the labels.
enum class Labels {
  kKnown,      // told
  kOptimised,  // soft labels, found together with the records (Zhu et al. 2019)
  kTraversed,  // every candidate is tried, the one that matches best is kept (Yu 2026, section 5.4)
};

struct InversionOptions {
  Matching matching{};
  Prior prior{};
  DescentOptions descent = LbfgsOptions{};
  std::optional<Box> box{};  // of the numbers of a record; `variables` is set by the search
  /// From variables to the numbers of a record; it has its own bounds, so there is no box beside it. Priors
  /// judge the decoded records.
  Decoder decoder{};
  std::size_t restarts = 1;
  /// More than a few restarts and candidates race (see Race): most are dropped on the way, and their reports
  /// say so. For a search that wants the best restart only.
  bool racing = false;
  Start start = Start::kNormal;
  std::vector<double> given{};  // records x input size, for Start::kGiven
  Labels labels = Labels::kKnown;
  /// kKnown: the targets, records x output size. kTraversed: one such row after the other, one per candidate.
  std::vector<double> targets{};
  bool single_precision = false;
  std::uint64_t seed = 1;
  std::uint64_t trial = 0;  // tells victims apart: each has its own random starts
};

/// How one restart went.
struct RestartReport {
  std::size_t candidate = 0;  // of the labels, when they were traversed
  double start_value = 0;     // the objective at the start
  double value = 0;           // and at the end
  std::size_t iterations = 0;
  std::size_t evaluations = 0;
  bool dropped = false;          // was behind in the race
  std::vector<double> inputs{};  // the records it found; empty if it met no finite value
};

struct Inversion {
  std::vector<double> inputs;   // records x input size
  std::vector<double> targets;  // records x output size: told, soft, or the candidate kept
  double value = 0;             // of the objective
  double distance = 0;          // the matching alone, without priors
  std::size_t chosen = 0;       // restart
  std::vector<double> start;    // where the chosen restart began: scored beside the result
  std::vector<RestartReport> restarts;
  double seconds = 0;
};

/// Fails if the search met no finite value at all.
Inversion invert(const Model& model, const Shape& input, const Observation& observation,
                 const InversionOptions& options, const OnSearchStep& on_step = {});

}  // namespace earshot
