#include "earshot/experiment/results.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include <fmt/format.h>

#include "earshot/experiment/plan_outputs.hpp"
#include "earshot/experiment/rows.hpp"
#include "earshot/metric/statistics.hpp"
#include "earshot/version.hpp"

namespace earshot {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

/// An overflow in a summary must not look like a number.
Json finite_or_null(double value) {
  return as_number(value) ? Json(value) : Json(nullptr);
}

/// The tables of all trials of a cell, each row led by its trial.
Json pool_tables(const Cell& cell, const std::vector<Json>& trials) {
  Json pooled = Json::object();
  for (std::size_t trial = 0; trial < trials.size(); ++trial) {
    if (!trials[trial].contains("tables")) continue;
    for (const auto& [name, table] : trials[trial].at("tables").items()) {
      Json columns = Json::array({"trial"});
      for (const Json& column : table.at("columns")) columns.push_back(column);
      if (!pooled.contains(name)) pooled[name] = {{"columns", columns}, {"rows", Json::array()}};
      if (pooled[name]["columns"] != columns)
        fail(Fault::kInternal,
             fmt::format("table \"{}\" of cell {} changes its columns at trial {}", name, cell.index, trial));
      Json& rows = pooled[name]["rows"];
      for (const Json& row : table.at("rows")) {
        if (!row.is_array() || row.size() + 1 != columns.size())
          fail(Fault::kInternal, fmt::format("a row of table \"{}\" does not fit its columns", name));
        Json led = Json::array({trial});
        led.insert(led.end(), row.begin(), row.end());
        rows.push_back(std::move(led));
      }
    }
  }
  return pooled;
}

Json summarise_column(const std::vector<double>& values) {
  if (values.empty())
    return {{"mean", nullptr}, {"std", nullptr}, {"min", nullptr}, {"max", nullptr}, {"count", 0}};
  const Summary summary = summarise(values);
  return {{"mean", finite_or_null(summary.mean)},
          {"std", finite_or_null(summary.deviation)},
          {"min", summary.minimum},
          {"max", summary.maximum},
          {"count", summary.count}};
}

/// Columns that hold a text anywhere are names, not quantities, and have no summary.
Json summarise_table(const Json& table) {
  Json summary = Json::object();
  const Json& columns = table.at("columns");
  for (std::size_t c = 1; c < columns.size(); ++c) {
    std::vector<double> numbers;
    bool quantity = true;
    for (const Json& row : table.at("rows")) {
      const Json& value = row.at(c);
      if (const auto number = as_number(value))
        numbers.push_back(*number);
      else if (!value.is_null())
        quantity = false;
    }
    if (quantity) summary[columns[c].get<std::string>()] = summarise_column(numbers);
  }
  return summary;
}

Json assemble_cell(const Cell& cell, const std::vector<Json>& trials) {
  Json document{
      {"settings", cell.settings}, {"tables", pool_tables(cell, trials)}, {"summary", Json::object()}};
  for (const auto& [name, table] : document["tables"].items())
    document["summary"][name] = summarise_table(table);
  for (const auto& [key, extra] : trials.at(0).items()) {
    if (key != "tables") document[key] = extra;
  }
  return document;
}

/// Distinct values in the order a reader expects: numbers ascending, then everything else by first
/// appearance.
std::vector<Json> distinct_in_order(const std::vector<Json>& values) {
  std::vector<Json> distinct;
  std::set<Json> seen;
  for (const Json& value : values) {
    if (!value.is_null() && seen.insert(value).second) distinct.push_back(value);
  }
  std::ranges::stable_sort(distinct, [](const Json& a, const Json& b) {
    if (a.is_number() && b.is_number()) return a < b;
    return a.is_number() && !b.is_number();
  });
  return distinct;
}

Json curve_points(const std::vector<Json>& x, const std::vector<Json>& y, const std::vector<bool>& chosen) {
  std::map<Json, std::vector<double>> groups;
  std::vector<Json> used;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto number = as_number(y[i]);
    if (!chosen[i] || x[i].is_null() || !number) continue;
    groups[x[i]].push_back(*number);
    used.push_back(x[i]);
  }
  Json points = Json::array();
  for (const Json& at : distinct_in_order(used)) {
    const Summary summary = summarise(groups.at(at));
    points.push_back({{"x", at},
                      {"mean", finite_or_null(summary.mean)},
                      {"std", finite_or_null(summary.deviation)},
                      {"count", summary.count}});
  }
  return points;
}

std::string plain_text(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

Json curve_series(const Curve& curve, const Rows& rows) {
  const std::vector<Json> x = rows.values(curve.x);
  const std::vector<Json> split = curve.split.empty() ? std::vector<Json>() : rows.values(curve.split);
  Json series = Json::array();
  for (const std::string& column : curve.y) {
    const std::vector<Json> y = rows.values(column);
    if (curve.split.empty()) {
      series.push_back({{"name", column},
                        {"y", column},
                        {"points", curve_points(x, y, std::vector<bool>(x.size(), true))}});
      continue;
    }
    for (const Json& value : distinct_in_order(split)) {
      std::vector<bool> chosen(x.size());
      for (std::size_t i = 0; i < x.size(); ++i) chosen[i] = split[i] == value;
      const std::string label = fmt::format("{} = {}", curve.split, plain_text(value));
      series.push_back({{"name", curve.y.size() == 1 ? label : column + ", " + label},
                        {"y", column},
                        {"points", curve_points(x, y, chosen)}});
    }
  }
  return series;
}

/// Nothing measured (not finite) misses every band.
bool judge(const Expectation& e, double measured) {
  if (!std::isfinite(measured)) return false;
  const bool near = !e.published || !e.tolerance || std::abs(measured - *e.published) <= *e.tolerance;
  const bool enough = !e.at_least || measured >= *e.at_least;
  const bool within = !e.at_most || measured <= *e.at_most;
  return near && enough && within;
}

class Assembler {
 public:
  Assembler(const Plan& plan, const Json& cells) : plan_(plan) {
    TableColumns tables;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      for (const auto& [name, table] : cells[i].at("tables").items()) {
        rows_[name].add(plan.cells[i], table);
      }
    }
    for (const auto& [name, rows] : rows_) tables[name] = rows.columns();
    auto problems = check_tables(plan, tables);
    if (!problems.empty()) throw PlanError(std::move(problems));
  }

  Json curves() const {
    Json curves = Json::array();
    for (const Curve& curve : plan_.curves)
      curves.push_back({{"title", curve.title},
                        {"table", curve.table},
                        {"x", curve.x},
                        {"series", curve_series(curve, rows_.at(curve.table).where(curve.where))}});
    return curves;
  }

  Json expectations() const {
    Json list = Json::array();
    for (const Expectation& e : plan_.expectations) list.push_back(compare(e));
    return list;
  }

 private:
  Json compare(const Expectation& e) const {
    const bool compares = !e.than.is_null();
    const bool in_this_run = in_run(e.where) && (!compares || in_run(e.than));
    const bool banded = (e.published && e.tolerance) || e.at_least || e.at_most;
    Json entry = to_json(e);
    double measured = in_this_run ? measure(e, e.where) : kUnknown;
    if (compares) {
      const double than = in_this_run ? measure(e, e.than) : kUnknown;
      entry["compared"] = {finite_or_null(measured), finite_or_null(than)};
      measured -= than;
    }
    entry["measured"] = finite_or_null(measured);
    entry["met"] = in_this_run && banded ? Json(judge(e, measured)) : Json(nullptr);
    return entry;
  }

  bool in_run(const Json& conditions) const {
    return std::ranges::any_of(plan_.cells, [&](const Cell& cell) { return cell_matches(cell, conditions); });
  }
  double measure(const Expectation& e, const Json& conditions) const {
    return evaluate(e.measure, rows_.at(e.table).where(conditions)).value_or(kUnknown);
  }

  const Plan& plan_;
  std::map<std::string, Rows, std::less<>> rows_;
};

}  // namespace

Json assemble_results(const Plan& plan, const std::vector<std::vector<Json>>& units,
                      const std::string& command) {
  Json cells = Json::array();
  for (std::size_t i = 0; i < plan.cells.size(); ++i)
    cells.push_back(assemble_cell(plan.cells[i], units.at(i)));
  const Assembler assembler(plan, cells);
  Json curves = assembler.curves();
  Json expectations = assembler.expectations();
  return {{"earshot", {{"version", kVersion}, {"format", kResultsFormat}}},
          {"experiment",
           {{"name", plan.name},
            {"title", plan.title},
            {"reference", plan.reference},
            {"seed", plan.seed},
            {"trials", plan.trials},
            {"plan", plan.resolved}}},
          {"command", command},
          {"cells", std::move(cells)},
          {"curves", std::move(curves)},
          {"expectations", std::move(expectations)}};
}

std::vector<std::string> missed_expectations(const Json& results) {
  std::vector<std::string> missed;
  for (const Json& e : results.at("expectations")) {
    if (e.at("met") == false)
      missed.push_back(fmt::format("{}: {}: measured {}", e.at("source").get<std::string>(),
                                   e.at("what").get<std::string>(), e.at("measured").dump()));
  }
  return missed;
}

}  // namespace earshot
