// Which cell of an experiment to choose: the best utility among those whose leakage is tolerated, and every
// cell that no other beats in all respects.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "earshot/core/json.hpp"
#include "earshot/metric/comparison.hpp"

namespace earshot {

/// Rows of `dimensions` numbers, smaller is better in each, infinite allowed: true where no other row is at
/// least as good throughout and better somewhere. Equal rows stand or fall together.
std::vector<bool> pareto_front(std::span<const double> rows, std::size_t dimensions);

/// What counts as leakage of an attack on rows (table "table_attacks"), and how much of it is tolerated.
struct Tolerance {
  std::string column = "accuracy";  // the share of right cells; "informed" of an attacker with public rows
  bool above_guess = false;         // leakage is what the column is above the better of the two guesses
  double at_most = 0;
  double confidence = 0.95;  // with which the mean leakage of every attacked round must lie below
};

/// Of the attacks on one round of training, all victims and trials together.
struct RoundLeakage {
  std::uint64_t round = 0;
  std::size_t attacks = 0;  // that gave rows; the means below are over these
  std::size_t failed = 0;   // that gave none, which proves no privacy
  double leakage = 0;       // mean; no number without attacks
  double bound = 0;         // upper confidence bound of that mean (Student's t); infinite below two attacks
  double random = 0;        // share of cells a table drawn from public columns gets right
  double likeliest = 0;     // share of cells each column's likeliest value gets right
  Comparison against_guess = Comparison::kUnknown;
};

struct ProtectionOption {
  std::size_t cell = 0;
  Json settings = Json::object();
  std::vector<RoundLeakage> rounds;  // ascending; at least one of them has attacks that gave rows
  RoundLeakage worst;                // of these, the round that leaks most
  double leakage_bound = 0;          // the largest bound of all rounds: holds for whichever truly leaks most
  double accuracy = 0;
  double epsilon = 0;  // infinite without a guarantee
  double latency = 0;  // simulated time; 0 where there is no clock
  bool tolerated = false;
  bool on_front = false;  // of leakage in the worst round, accuracy, epsilon and latency
};

struct Recommendation {
  std::vector<ProtectionOption> options;  // one per cell that has all numbers, best accuracy first
  std::optional<std::size_t>
      best;                  // index of the most accurate tolerated one; ties: lower epsilon, then latency
  std::size_t left_out = 0;  // cells without leakage or accuracy
};

/// Of a results document of plans that train and attack (tables "training" and "table_attacks").
Recommendation recommend(const Json& results, const Tolerance& tolerance);

/// What an attack that had no part in the choice finds about the recommended option.
struct Confirmation {
  std::optional<ProtectionOption> measured;  // nothing when it gave no numbers
  bool holds = false;
  std::optional<std::size_t> next;  // where it does not hold: the next tolerated option of the search
};

/// `rerun` is the results document of one cell: the best option of `searched`, which has one, run again.
Confirmation confirm(const Recommendation& searched, const Json& rerun, const Tolerance& tolerance);

/// "better than guessing", ...
std::string guess_text(Comparison verdict);

Json recommendation_json(const Recommendation& recommendation, const Tolerance& tolerance);
Json confirmation_json(const Confirmation& confirmation);

}  // namespace earshot
