#include "earshot/experiment/recommendation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include <boost/math/distributions/students_t.hpp>
#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/experiment/rows.hpp"
#include "earshot/metric/statistics.hpp"

namespace earshot {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr const char* kAttacks = "table_attacks";

bool dominates(std::span<const double> a, std::span<const double> b) {
  bool better = false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] > b[i]) return false;
    better |= a[i] < b[i];
  }
  return better;
}

using Column = std::vector<std::optional<double>>;

/// A column of a cell's table, with nothing where a row holds no number; empty when there is no such column.
Column column_of(const Json& cell, const std::string& table, const std::string& column) {
  Column numbers;
  const Json& tables = cell.at("tables");
  if (!tables.contains(table)) return numbers;
  const Json& columns = tables.at(table).at("columns");
  const auto found = std::ranges::find(columns, Json(column));
  if (found == columns.end()) return numbers;
  const auto at = static_cast<std::size_t>(found - columns.begin());
  for (const Json& row : tables.at(table).at("rows")) numbers.push_back(as_number(row.at(at)));
  return numbers;
}

std::optional<double> mean_of(const Column& column) {
  std::vector<double> values;
  for (const auto& value : column) {
    if (value) values.push_back(*value);
  }
  return values.empty() ? std::nullopt : std::optional(mean(values));
}

/// One-sided: mean + t s / sqrt(n).
double upper_bound(std::span<const double> values, double confidence) {
  if (values.size() < 2) return kInfinite;
  const auto count = static_cast<double>(values.size());
  const double t = boost::math::quantile(boost::math::students_t(count - 1), confidence);
  return mean(values) + t * sample_deviation(values) / std::sqrt(count);
}

Comparison compare(std::span<const double> scores, std::span<const double> guesses) {
  std::vector<double> above(scores.begin(), scores.end());
  for (std::size_t i = 0; i < above.size(); ++i) above[i] -= guesses[i];
  return compare_with_guess(above);
}

/// The attacked steps of one round.
class RoundScores {
 public:
  void add(std::optional<double> score, std::optional<double> random, std::optional<double> likeliest) {
    if (!score || !random || !likeliest) {
      ++failed_;
      return;
    }
    scores_.push_back(*score);
    random_.push_back(*random);
    likeliest_.push_back(*likeliest);
  }

  RoundLeakage leakage(std::uint64_t round, const Tolerance& tolerance) const {
    RoundLeakage out{.round = round, .attacks = scores_.size(), .failed = failed_};
    const std::vector<double> leaked = leaked_by(tolerance);
    out.bound = upper_bound(leaked, tolerance.confidence);
    out.leakage = mean_or_nan(leaked);
    out.random = mean_or_nan(random_);
    out.likeliest = mean_or_nan(likeliest_);
    out.against_guess = std::min(compare(scores_, random_), compare(scores_, likeliest_));
    return out;
  }

 private:
  static double mean_or_nan(const std::vector<double>& values) {
    return values.empty() ? std::numeric_limits<double>::quiet_NaN() : mean(values);
  }

  std::vector<double> leaked_by(const Tolerance& tolerance) const {
    std::vector<double> leaked = scores_;
    if (!tolerance.above_guess) return leaked;
    for (std::size_t i = 0; i < leaked.size(); ++i) leaked[i] -= std::max(random_[i], likeliest_[i]);
    return leaked;
  }

  std::vector<double> scores_, random_, likeliest_;
  std::size_t failed_ = 0;
};

/// Empty when the cell has no such attacks.
std::vector<RoundLeakage> rounds_of(const Json& cell, const Tolerance& tolerance) {
  const Column round = column_of(cell, kAttacks, "round");
  const Column score = column_of(cell, kAttacks, tolerance.column);
  const Column random = column_of(cell, kAttacks, "random");
  const Column likeliest = column_of(cell, kAttacks, "likeliest");
  std::vector<RoundLeakage> rounds;
  if (score.empty() || random.empty() || likeliest.empty()) return rounds;
  std::map<std::uint64_t, RoundScores> scores;
  for (std::size_t i = 0; i < round.size(); ++i) {
    if (round[i]) scores[static_cast<std::uint64_t>(*round[i])].add(score[i], random[i], likeliest[i]);
  }
  for (const auto& [number, of_round] : scores) rounds.push_back(of_round.leakage(number, tolerance));
  return rounds;
}

/// Nothing when no round gave rows.
std::optional<RoundLeakage> worst_of(std::span<const RoundLeakage> rounds) {
  std::optional<RoundLeakage> worst;
  for (const RoundLeakage& round : rounds) {
    if (round.attacks > 0 && (!worst || round.leakage > worst->leakage)) worst = round;
  }
  return worst;
}

std::optional<ProtectionOption> option_of(const Json& cell, std::size_t index, const Tolerance& tolerance) {
  ProtectionOption option;
  option.rounds = rounds_of(cell, tolerance);
  const auto worst = worst_of(option.rounds);
  const auto accuracy = mean_of(column_of(cell, "training", "accuracy"));
  if (!worst || !accuracy) return std::nullopt;
  option.cell = index;
  option.settings = cell.at("settings");
  option.worst = *worst;
  option.leakage_bound = std::ranges::max(option.rounds, {}, &RoundLeakage::bound).bound;
  option.accuracy = *accuracy;
  option.epsilon = mean_of(column_of(cell, "training", "epsilon")).value_or(kInfinite);
  option.latency = mean_of(column_of(cell, "training", "elapsed")).value_or(0);
  option.tolerated = option.leakage_bound <= tolerance.at_most;
  return option;
}

void check(const Tolerance& tolerance) {
  if (!(tolerance.confidence >= 0.5 && tolerance.confidence < 1))
    fail(Fault::kConfig, "the confidence must be from 0.5 up to but not including 1");
  if (!std::isfinite(tolerance.at_most))
    fail(Fault::kConfig, "the tolerated leakage must be a finite number");
}

void mark_front(std::vector<ProtectionOption>& options) {
  std::vector<double> rows;
  for (const ProtectionOption& o : options) {
    rows.insert(rows.end(), {o.worst.leakage, -o.accuracy, o.epsilon, o.latency});
  }
  const std::vector<bool> front = pareto_front(rows, 4);
  for (std::size_t i = 0; i < options.size(); ++i) options[i].on_front = front[i];
}

Json number_or_null(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json index_or_null(const std::optional<std::size_t>& index) {
  return index ? Json(*index) : Json(nullptr);
}

Json round_json(const RoundLeakage& round) {
  return {{"round", round.round},
          {"attacks", round.attacks},
          {"failed", round.failed},
          {"leakage", number_or_null(round.leakage)},
          {"leakage_bound", number_or_null(round.bound)},
          {"random", number_or_null(round.random)},
          {"likeliest", number_or_null(round.likeliest)},
          {"verdict", guess_text(round.against_guess)}};
}

Json option_json(const ProtectionOption& option) {
  Json rounds = Json::array();
  for (const RoundLeakage& round : option.rounds) rounds.push_back(round_json(round));
  return {{"cell", option.cell},
          {"settings", option.settings},
          {"worst_round", option.worst.round},
          {"leakage", option.worst.leakage},
          {"leakage_bound", number_or_null(option.leakage_bound)},
          {"random", option.worst.random},
          {"likeliest", option.worst.likeliest},
          {"verdict", guess_text(option.worst.against_guess)},
          {"rounds", std::move(rounds)},
          {"accuracy", option.accuracy},
          {"epsilon", number_or_null(option.epsilon)},
          {"latency", option.latency},
          {"tolerated", option.tolerated},
          {"on_front", option.on_front}};
}

}  // namespace

std::vector<bool> pareto_front(std::span<const double> rows, std::size_t dimensions) {
  if (dimensions == 0 || rows.size() % dimensions != 0)
    fail(Fault::kInternal, "a front needs whole rows of one number or more");
  if (std::ranges::any_of(rows, [](double x) { return std::isnan(x); }))
    fail(Fault::kInternal, "what is no number cannot be compared");
  const std::size_t count = rows.size() / dimensions;
  const auto row = [&](std::size_t i) { return rows.subspan(i * dimensions, dimensions); };
  std::vector<bool> front(count, true);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < count && front[i]; ++j) front[i] = !dominates(row(j), row(i));
  }
  return front;
}

Recommendation recommend(const Json& results, const Tolerance& tolerance) {
  check(tolerance);
  Recommendation all;
  const Json& cells = results.at("cells");
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (auto option = option_of(cells[i], i, tolerance))
      all.options.push_back(std::move(*option));
    else
      ++all.left_out;
  }
  if (all.options.empty())
    fail(Fault::kConfig,
         fmt::format("no cell of this experiment has both an accuracy and a column \"{}\" in table \"{}\"",
                     tolerance.column, kAttacks));
  std::ranges::stable_sort(all.options, {}, [](const ProtectionOption& o) {
    return std::tuple(-o.accuracy, o.epsilon, o.latency);
  });
  mark_front(all.options);
  const auto best = std::ranges::find_if(all.options, &ProtectionOption::tolerated);
  if (best != all.options.end()) all.best = static_cast<std::size_t>(best - all.options.begin());
  return all;
}

Confirmation confirm(const Recommendation& searched, const Json& rerun, const Tolerance& tolerance) {
  check(tolerance);
  if (!searched.best || rerun.at("cells").size() != 1)
    fail(Fault::kInternal, "one recommended option is confirmed by one cell");
  const std::size_t best = *searched.best;
  Confirmation confirmation;
  confirmation.measured = option_of(rerun.at("cells")[0], searched.options[best].cell, tolerance);
  if (confirmation.measured) confirmation.measured->settings = searched.options[best].settings;
  confirmation.holds = confirmation.measured && confirmation.measured->tolerated;
  for (std::size_t i = best + 1; i < searched.options.size() && !confirmation.holds; ++i) {
    if (!searched.options[i].tolerated) continue;
    confirmation.next = i;
    break;
  }
  return confirmation;
}

std::string guess_text(Comparison verdict) {
  switch (verdict) {
    case Comparison::kBetter:
      return "better than guessing";
    case Comparison::kNoBetter:
      return "no better than guessing";
    case Comparison::kWorse:
      return "worse than guessing";
    case Comparison::kUnknown:
      break;
  }
  return "too few attacks to compare with guessing";
}

Json recommendation_json(const Recommendation& recommendation, const Tolerance& tolerance) {
  Json options = Json::array();
  for (const ProtectionOption& o : recommendation.options) options.push_back(option_json(o));
  return {{"leakage", fmt::format("{}.{}", kAttacks, tolerance.column)},
          {"above_guess", tolerance.above_guess},
          {"tolerated", tolerance.at_most},
          {"confidence", tolerance.confidence},
          {"options", std::move(options)},
          {"left_out", recommendation.left_out},
          {"best", index_or_null(recommendation.best)}};
}

Json confirmation_json(const Confirmation& confirmation) {
  return {{"holds", confirmation.holds},
          {"measured", confirmation.measured ? option_json(*confirmation.measured) : Json(nullptr)},
          {"next", index_or_null(confirmation.next)}};
}

}  // namespace earshot
