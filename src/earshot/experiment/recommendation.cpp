#include "earshot/experiment/recommendation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include <boost/math/distributions/students_t.hpp>
#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/experiment/rows.hpp"
#include "earshot/metric/statistics.hpp"

namespace earshot {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

bool dominates(std::span<const double> a, std::span<const double> b) {
  bool better = false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] > b[i]) return false;
    better |= a[i] < b[i];
  }
  return better;
}

/// The numbers of a column in a cell's table; empty when there is no such column.
std::vector<double> column_of(const Json& cell, const std::string& table, const std::string& column) {
  std::vector<double> numbers;
  const Json& tables = cell.at("tables");
  if (!tables.contains(table)) return numbers;
  const Json& columns = tables.at(table).at("columns");
  const auto found = std::ranges::find(columns, Json(column));
  if (found == columns.end()) return numbers;
  const auto at = static_cast<std::size_t>(found - columns.begin());
  for (const Json& row : tables.at(table).at("rows")) {
    if (const auto number = as_number(row.at(at))) numbers.push_back(*number);
  }
  return numbers;
}

double mean_or(const std::vector<double>& values, double otherwise) {
  return values.empty() ? otherwise : mean(values);
}

/// One-sided: mean + t s / sqrt(n).
double upper_bound(std::span<const double> values, double confidence) {
  if (values.size() < 2) return kInfinite;
  const auto count = static_cast<double>(values.size());
  const double t = boost::math::quantile(boost::math::students_t(count - 1), confidence);
  return mean(values) + t * sample_deviation(values) / std::sqrt(count);
}

std::optional<ProtectionOption> option_of(const Json& cell, std::size_t index, const Tolerance& tolerance) {
  const std::vector<double> leakage = column_of(cell, tolerance.table, tolerance.column);
  const std::vector<double> accuracy = column_of(cell, "training", "accuracy");
  if (leakage.empty() || accuracy.empty()) return std::nullopt;
  ProtectionOption option;
  option.cell = index;
  option.settings = cell.at("settings");
  option.attacks = leakage.size();
  option.leakage = mean(leakage);
  option.leakage_bound = upper_bound(leakage, tolerance.confidence);
  option.accuracy = mean(accuracy);
  option.epsilon = mean_or(column_of(cell, "training", "epsilon"), kInfinite);
  option.latency = mean_or(column_of(cell, "training", "elapsed"), 0);
  option.tolerated = option.leakage_bound <= tolerance.at_most;
  return option;
}

void mark_front(std::vector<ProtectionOption>& options) {
  std::vector<double> rows;
  for (const ProtectionOption& o : options) {
    rows.insert(rows.end(), {o.leakage, -o.accuracy, o.epsilon, o.latency});
  }
  const std::vector<bool> front = pareto_front(rows, 4);
  for (std::size_t i = 0; i < options.size(); ++i) options[i].on_front = front[i];
}

Json number_or_null(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
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
  if (!(tolerance.confidence >= 0.5 && tolerance.confidence < 1))
    fail(Fault::kConfig, "the confidence must be from 0.5 up to but not including 1");
  if (!std::isfinite(tolerance.at_most))
    fail(Fault::kConfig, "the tolerated leakage must be a finite number");
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
                     tolerance.column, tolerance.table));
  std::ranges::stable_sort(all.options, {}, [](const ProtectionOption& o) {
    return std::tuple(-o.accuracy, o.epsilon, o.latency);
  });
  mark_front(all.options);
  const auto best = std::ranges::find_if(all.options, &ProtectionOption::tolerated);
  if (best != all.options.end()) all.best = static_cast<std::size_t>(best - all.options.begin());
  return all;
}

Json recommendation_json(const Recommendation& recommendation, const Tolerance& tolerance) {
  Json options = Json::array();
  for (const ProtectionOption& o : recommendation.options) {
    options.push_back({{"cell", o.cell},
                       {"settings", o.settings},
                       {"attacks", o.attacks},
                       {"leakage", o.leakage},
                       {"leakage_bound", number_or_null(o.leakage_bound)},
                       {"accuracy", o.accuracy},
                       {"epsilon", number_or_null(o.epsilon)},
                       {"latency", o.latency},
                       {"tolerated", o.tolerated},
                       {"on_front", o.on_front}});
  }
  return {{"leakage", tolerance.table + "." + tolerance.column},
          {"tolerated", tolerance.at_most},
          {"confidence", tolerance.confidence},
          {"options", std::move(options)},
          {"left_out", recommendation.left_out},
          {"best", recommendation.best ? Json(*recommendation.best) : Json(nullptr)}};
}

}  // namespace earshot
