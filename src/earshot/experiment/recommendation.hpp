// Which cell of an experiment to choose: the best utility among those whose leakage is tolerated, and every
// cell that no other beats in all respects.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "earshot/core/json.hpp"

namespace earshot {

/// Rows of `dimensions` numbers, smaller is better in each, infinite allowed: true where no other row is at
/// least as good throughout and better somewhere. Equal rows stand or fall together.
std::vector<bool> pareto_front(std::span<const double> rows, std::size_t dimensions);

/// Where a results document holds leakage, and how much of it is tolerated.
struct Tolerance {
  std::string table = "victims";
  std::string column = "cell_accuracy";
  double at_most = 0;
  double confidence = 0.95;  // with which the mean leakage must lie below
};

struct ProtectionOption {
  std::size_t cell = 0;
  Json settings = Json::object();
  std::size_t attacks = 0;  // rows the leakage is measured on
  double leakage = 0;       // mean
  double leakage_bound =
      0;  // upper confidence bound of that mean (Student's t); infinite for a single attack
  double accuracy = 0;
  double epsilon = 0;  // infinite without a guarantee
  double latency = 0;  // simulated time; 0 where there is no clock
  bool tolerated = false;
  bool on_front = false;  // of leakage, accuracy, epsilon and latency
};

struct Recommendation {
  std::vector<ProtectionOption> options;  // one per cell that has all numbers, best accuracy first
  std::optional<std::size_t>
      best;                  // index of the most accurate tolerated one; ties: lower epsilon, then latency
  std::size_t left_out = 0;  // cells without leakage or accuracy
};

/// Of a results document of plans that train and attack (tables "training" and tolerance.table).
Recommendation recommend(const Json& results, const Tolerance& tolerance);

Json recommendation_json(const Recommendation& recommendation, const Tolerance& tolerance);

}  // namespace earshot
