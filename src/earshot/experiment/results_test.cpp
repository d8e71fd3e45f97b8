#include "earshot/experiment/results.hpp"

#include <cmath>
#include <limits>
#include <map>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/core/parallel.hpp"
#include "earshot/core/random.hpp"
#include "earshot/experiment/rows.hpp"
#include "earshot/experiment/runner.hpp"
#include "earshot/experiment/test_catalogue.hpp"

namespace earshot {
namespace {

using testing::HasSubstr;

constexpr const char* kPlan = R"(
name = "x"
title = "X"
trials = 4
seed = 5
[graph]
kind = "ring"
[mechanism]
kind = "gaussian"
[sweep]
"graph.nodes" = [10, 5]
"mechanism.epsilon" = [1, 0.5]
[[curve]]
title = "PSNR by distance"
table = "victims"
x = "distance"
y = ["psnr", "error"]
split = "graph.nodes"
[[curve]]
title = "PSNR by epsilon"
table = "victims"
x = "mechanism.epsilon"
y = ["psnr"]
[[curve]]
title = "by name"
table = "victims"
x = "victim"
y = ["psnr"]
[[curve]]
title = "near ones of small rings"
table = "victims"
x = "mechanism.epsilon"
y = ["psnr"]
where = { "graph.nodes" = 5, distance = 1 }
)";

struct Victim {
  std::size_t cell, trial;
  std::string name;
  int distance;
  double psnr;
  std::optional<double> error;
};

/// Four rows per unit, some of their errors missing; the same numbers for the unit and for the oracle.
std::vector<Victim> victims_of(const Cell& cell, std::size_t trial) {
  Stream stream({7, Purpose::kTest, trial, cell.index});
  std::vector<Victim> victims;
  for (int i = 0; i < 4; ++i) {
    Victim victim{cell.index,
                  trial,
                  fmt::format("v{}", stream.below(3)),
                  static_cast<int>(stream.below(3)),
                  20 * stream.normal(),
                  std::nullopt};
    if (stream.uniform() < 0.7) victim.error = stream.uniform();
    victims.push_back(victim);
  }
  return victims;
}

Json unit(const Cell& cell, std::size_t trial) {
  Json rows = Json::array();
  for (const Victim& v : victims_of(cell, trial))
    rows.push_back({v.name, v.distance, v.psnr, v.error ? Json(*v.error) : Json(nullptr)});
  Json result{
      {"tables", {{"victims", {{"columns", {"victim", "distance", "psnr", "error"}}, {"rows", rows}}}}}};
  if (trial == 0) result["network"] = {{"nodes", cell.setting("graph.nodes")}};
  return result;
}

Plan parse(const std::string& text, const std::vector<Override>& overrides = {}) {
  return parse_plan(text, "plan.toml", test_catalogue(), overrides);
}

Json results_of(const Plan& plan) {
  return assemble_results(plan, execute(plan, nullptr, unit).units, "earshot run plan.toml");
}

std::vector<Victim> all_victims(const Plan& plan) {
  std::vector<Victim> all;
  for (const Cell& cell : plan.cells) {
    for (std::size_t trial = 0; trial < plan.trials; ++trial) {
      for (const Victim& v : victims_of(cell, trial)) all.push_back(v);
    }
  }
  return all;
}

/// Two passes in long double: an independent computation, not the library's own.
std::pair<double, double> mean_and_deviation(const std::vector<double>& values) {
  long double sum = 0, squares = 0;
  for (const double v : values) sum += v;
  const long double mean = sum / values.size();
  for (const double v : values) squares += (v - mean) * (v - mean);
  return {static_cast<double>(mean),
          values.size() < 2 ? 0 : static_cast<double>(std::sqrt(squares / (values.size() - 1)))};
}

void expect_point(const Json& point, const std::vector<double>& values) {
  const auto [mean, deviation] = mean_and_deviation(values);
  EXPECT_EQ(point.at("count"), values.size());
  EXPECT_NEAR(point.at("mean").get<double>(), mean, 1e-12 * (1 + std::abs(mean)));
  EXPECT_NEAR(point.at("std").get<double>(), deviation, 1e-12 * (1 + deviation));
}

TEST(Results, DocumentHasItsParts) {
  const Json results = results_of(parse(kPlan));
  EXPECT_EQ(results["earshot"]["format"], 1);
  EXPECT_EQ(results["experiment"]["name"], "x");
  EXPECT_EQ(results["experiment"]["seed"], 5);
  EXPECT_EQ(results["experiment"]["plan"]["trials"], 4);
  EXPECT_EQ(results["command"], "earshot run plan.toml");
  ASSERT_EQ(results["cells"].size(), 4U);
  const Json& cell = results["cells"][3];
  EXPECT_EQ(cell["settings"], (Json{{"graph.nodes", 5}, {"mechanism.epsilon", 0.5}}));
  EXPECT_EQ(cell["network"]["nodes"], 5) << "extras of trial 0 are kept";
  const Json& table = cell["tables"]["victims"];
  EXPECT_EQ(table["columns"], (Json{"trial", "victim", "distance", "psnr", "error"}));
  ASSERT_EQ(table["rows"].size(), 16U);
  EXPECT_EQ(table["rows"][4][0], 1) << "rows carry their trial";
}

TEST(Results, SummariesEqualDirectComputation) {
  const Plan plan = parse(kPlan);
  const Json results = results_of(plan);
  for (const Cell& cell : plan.cells) {
    std::vector<double> psnr, error;
    for (const Victim& v : all_victims(plan)) {
      if (v.cell != cell.index) continue;
      psnr.push_back(v.psnr);
      if (v.error) error.push_back(*v.error);
    }
    const Json& summary = results["cells"][cell.index]["summary"]["victims"];
    EXPECT_FALSE(summary.contains("victim")) << "names have no mean";
    EXPECT_FALSE(summary.contains("trial"));
    expect_point(summary["psnr"], psnr);
    expect_point(summary["error"], error);
    EXPECT_EQ(summary["psnr"]["min"], *std::ranges::min_element(psnr));
    EXPECT_EQ(summary["psnr"]["max"], *std::ranges::max_element(psnr));
  }
}

TEST(Results, SplitCurveEqualsDirectGrouping) {
  const Plan plan = parse(kPlan);
  const Json curve = results_of(plan)["curves"][0];
  std::vector<std::string> names;
  for (const Json& series : curve["series"]) {
    names.push_back(series["name"]);
    const int nodes = names.size() % 2 == 1 ? 5 : 10;  // ascending, though the sweep says 10 first
    std::map<int, std::vector<double>> groups;
    for (const Victim& v : all_victims(plan)) {
      if (plan.cells[v.cell].setting("graph.nodes") != nodes) continue;
      if (series["y"] == "psnr") groups[v.distance].push_back(v.psnr);
      if (series["y"] == "error" && v.error) groups[v.distance].push_back(*v.error);
    }
    ASSERT_EQ(series["points"].size(), groups.size());
    auto group = groups.begin();
    for (const Json& point : series["points"]) {
      EXPECT_EQ(point["x"], group->first);
      expect_point(point, group->second);
      ++group;
    }
  }
  EXPECT_THAT(names, testing::ElementsAre("psnr, graph.nodes = 5", "psnr, graph.nodes = 10",
                                          "error, graph.nodes = 5", "error, graph.nodes = 10"));
}

TEST(Results, CurveOverASettingAndOverNames) {
  const Plan plan = parse(kPlan);
  const Json curves = results_of(plan)["curves"];
  std::map<double, std::vector<double>> by_epsilon;
  std::map<std::string, std::vector<double>> by_name;
  std::vector<std::string> appearance;
  for (const Victim& v : all_victims(plan)) {
    by_epsilon[plan.cells[v.cell].setting("mechanism.epsilon").get<double>()].push_back(v.psnr);
    if (!by_name.contains(v.name)) appearance.push_back(v.name);
    by_name[v.name].push_back(v.psnr);
  }
  const Json& points = curves[1]["series"][0]["points"];
  ASSERT_EQ(points.size(), 2U);
  EXPECT_EQ(points[0]["x"], 0.5);
  expect_point(points[0], by_epsilon[0.5]);
  expect_point(points[1], by_epsilon[1]);
  const Json& named = curves[2]["series"][0]["points"];
  ASSERT_EQ(named.size(), appearance.size());
  for (std::size_t i = 0; i < appearance.size(); ++i) {
    EXPECT_EQ(named[i]["x"], appearance[i]);
    expect_point(named[i], by_name[appearance[i]]);
  }
}

TEST(Results, CurveOfChosenRowsEqualsDirectSelection) {
  const Plan plan = parse(kPlan);
  std::map<double, std::vector<double>> by_epsilon;
  for (const Victim& v : all_victims(plan)) {
    const Cell& cell = plan.cells[v.cell];
    if (v.distance == 1 && cell.setting("graph.nodes") == 5)
      by_epsilon[cell.setting("mechanism.epsilon").get<double>()].push_back(v.psnr);
  }
  const Json points = results_of(plan)["curves"][3]["series"][0]["points"];
  ASSERT_EQ(points.size(), by_epsilon.size());
  for (const Json& point : points) expect_point(point, by_epsilon.at(point["x"].get<double>()));
}

TEST(Results, CurvesOfNoCellAreRefused) {
  const std::string plan = std::string(kPlan) + R"([[curve]]
title = "nothing"
table = "victims"
x = "distance"
y = ["psnr"]
where = { "graph.nodes" = 7 }
)";
  EXPECT_THAT([&] { parse(plan); },
              testing::ThrowsMessage<PlanError>(HasSubstr("curve[4].where: no cell of the sweep")));
}

double measured(const std::string& measure, const std::string& where) {
  const Plan plan =
      parse(fmt::format("{}\n[[expect]]\nsource=\"s\"\nwhat=\"w\"\ntable=\"victims\"\nmeasure=\"{}\"\n"
                        "where={}\npublished=0\n",
                        kPlan, measure, where));
  const Json value = results_of(plan)["expectations"][0]["measured"];
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

TEST(Results, MeasuresEqualDirectComputation) {
  std::vector<double> psnr, error;
  std::map<std::string, std::vector<double>> by_name;
  for (const Victim& v : all_victims(parse(kPlan))) {
    if (v.distance != 1 || v.cell / 2 != 1) continue;  // cells 2 and 3 have graph.nodes = 5
    psnr.push_back(v.psnr);
    by_name[v.name].push_back(v.psnr);
    if (v.error) error.push_back(*v.error);
  }
  const std::string where = R"({ "graph.nodes" = 5, distance = 1.0 })";
  const auto [mean, deviation] = mean_and_deviation(psnr);
  EXPECT_NEAR(measured("mean(psnr)", where), mean, 1e-11);
  EXPECT_NEAR(measured("std(psnr)", where), deviation, 1e-11);
  EXPECT_NEAR(measured("mean(error)", where), mean_and_deviation(error).first, 1e-12);
  std::vector<double> sorted = psnr;
  std::ranges::sort(sorted);
  EXPECT_NEAR(measured("median(psnr)", where),
              (sorted[(sorted.size() - 1) / 2] + sorted[sorted.size() / 2]) / 2, 1e-12);
  EXPECT_EQ(measured("min(psnr)", where), *std::ranges::min_element(psnr));
  EXPECT_EQ(measured("max(psnr)", where), *std::ranges::max_element(psnr));
  EXPECT_EQ(measured("count()", where), psnr.size());
  const auto above = std::ranges::count_if(psnr, [](double v) { return v > 2; });
  EXPECT_EQ(measured("share_above(psnr, 2)", where), static_cast<double>(above) / psnr.size());
  double groups_above = 0;
  for (const auto& [name, values] : by_name) groups_above += mean_and_deviation(values).first > 2 ? 1 : 0;
  EXPECT_EQ(measured("share_mean_above(psnr, victim, 2)", where), groups_above / by_name.size());
  EXPECT_NEAR(measured("z(psnr)", where), mean / (deviation / std::sqrt(static_cast<double>(psnr.size()))),
              1e-11);
}

/// Rows in which one of the two is missing are left out.
TEST(Results, MeasuresOfDifferencesEqualDirectComputation) {
  std::vector<double> differences;
  for (const Victim& v : all_victims(parse(kPlan))) {
    if (v.distance == 1 && v.cell / 2 == 1 && v.error) differences.push_back(v.psnr - *v.error);
  }
  const std::string where = R"({ "graph.nodes" = 5, distance = 1.0 })";
  EXPECT_NEAR(measured("mean(psnr - error)", where), mean_and_deviation(differences).first, 1e-11);
  EXPECT_EQ(measured("share_above(psnr - psnr, 0)", where), 0);
  EXPECT_TRUE(std::isnan(measured("z(psnr - psnr)", where)));  // no deviation
}

/// Spearman's rho by its definition for data with ties: Pearson's correlation of average ranks, ranks by
/// counting.
TEST(Results, SpearmanEqualsCountingRanks) {
  std::vector<double> x, y;
  for (const Victim& v : all_victims(parse(kPlan))) {
    if (!v.error) continue;
    x.push_back(v.distance);
    y.push_back(*v.error);
  }
  const auto rank = [](const std::vector<double>& values, double value) {
    double below = 0, equal = 0;
    for (const double other : values) {
      below += other < value ? 1 : 0;
      equal += other == value ? 1 : 0;
    }
    return below + (equal + 1) / 2;
  };
  double xx = 0, yy = 0, xy = 0;
  const double centre = (static_cast<double>(x.size()) + 1) / 2;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double a = rank(x, x[i]) - centre, b = rank(y, y[i]) - centre;
    xx += a * a;
    yy += b * b;
    xy += a * b;
  }
  EXPECT_NEAR(measured("spearman(distance, error)", "{}"), xy / std::sqrt(xx * yy), 1e-12);
}

TEST(Results, NothingMeasuredIsNull) {
  EXPECT_TRUE(std::isnan(measured("mean(psnr)", "{ distance = 99 }")));
  EXPECT_TRUE(std::isnan(measured("spearman(distance, psnr)", "{ distance = 1 }")));
  EXPECT_TRUE(std::isnan(measured("mean(victim)", "{}")));
  EXPECT_EQ(measured("count()", "{ distance = 99 }"), 0);
}

Json met(const std::string& bands, const std::string& where = "{}",
         const std::vector<Override>& overrides = {}) {
  const Plan plan =
      parse(fmt::format("name=\"x\"\ntitle=\"X\"\n[graph]\nkind=\"ring\"\nnodes=7\n[[expect]]\nsource=\"s\"\n"
                        "what=\"w\"\ntable=\"t\"\nmeasure=\"mean(v)\"\nwhere={}\n{}\n",
                        where, bands),
            overrides);
  const UnitFunction ten = [](const Cell&, std::size_t) {
    return Json{
        {"tables", {{"t", {{"columns", {"v", "k"}}, {"rows", {{9.5, 1}, {10.5, 1}, {nullptr, 2}}}}}}}};
  };
  return assemble_results(plan, execute(plan, nullptr, ten).units, "")["expectations"][0]["met"];
}

TEST(Results, ExpectationsAreJudgedByEveryBandGiven) {
  EXPECT_TRUE(met("published=3").is_null()) << "a published value alone judges nothing";
  EXPECT_EQ(met("published=10.25\ntolerance=0.25"), true) << "the edge belongs to the band";
  EXPECT_EQ(met("published=10.25\ntolerance=0.2"), false);
  EXPECT_EQ(met("at_least=10"), true);
  EXPECT_EQ(met("at_least=10.01"), false);
  EXPECT_EQ(met("at_most=10"), true);
  EXPECT_EQ(met("at_most=9.99"), false);
  EXPECT_EQ(met("published=10\ntolerance=1\nat_least=11"), false);
  EXPECT_EQ(met("at_least=0", "{ k = 2 }"), false) << "a required value that could not be measured is missed";
  EXPECT_TRUE(met("at_least=0", "{ \"graph.nodes\" = 7 }", {{"graph.nodes", 8}}).is_null())
      << "settings changed on the command line: not about this run";
}

// Rows of k = 1 have the mean 10, those of k = 3 the mean 8.
TEST(Results, ExpectationsMayCompareRowsWithOthers) {
  const auto entry = [](const std::string& lines) {
    const Plan plan = parse(
        "name=\"x\"\ntitle=\"X\"\n[graph]\nkind=\"ring\"\nnodes=7\n[[expect]]\nsource=\"s\"\nwhat=\"w\"\n"
        "table=\"t\"\nmeasure=\"mean(v)\"\n" +
        lines);
    const UnitFunction unit = [](const Cell&, std::size_t) {
      return Json{{"tables", {{"t", {{"columns", {"v", "k"}}, {"rows", {{9.5, 1}, {10.5, 1}, {8, 3}}}}}}}};
    };
    return assemble_results(plan, execute(plan, nullptr, unit).units, "")["expectations"][0];
  };
  const Json above = entry("where={ k = 1 }\nthan={ k = 3 }\nat_least=0\n");
  EXPECT_EQ(above["measured"], 2.0);
  EXPECT_EQ(above["compared"], (Json{10.0, 8.0}));
  EXPECT_EQ(above["than"], (Json{{"k", 3}}));
  EXPECT_EQ(above["met"], true);
  EXPECT_EQ(entry("where={ k = 3 }\nthan={ k = 1 }\nat_least=0\n")["met"], false);
  const Json unknown = entry("where={ k = 1 }\nthan={ k = 9 }\nat_least=0\n");
  EXPECT_TRUE(unknown["measured"].is_null());
  EXPECT_EQ(unknown["met"], false);
  EXPECT_THROW(entry("than={ \"graph.nodes\" = 8 }\nat_least=0\n"), PlanError);
  EXPECT_THROW(entry("than=3\nat_least=0\n"), PlanError);
  EXPECT_FALSE(entry("at_least=0\n").contains("than"));
}

TEST(Results, MissedExpectationsAreListed) {
  const Json results{{"expectations",
                      {{{"source", "Table 1"}, {"what", "a"}, {"measured", 0.5}, {"met", false}},
                       {{"source", "Table 2"}, {"what", "b"}, {"measured", 0.5}, {"met", true}},
                       {{"source", "Table 3"}, {"what", "c"}, {"measured", nullptr}, {"met", nullptr}}}}};
  EXPECT_THAT(missed_expectations(results), testing::ElementsAre("Table 1: a: measured 0.5"));
}

TEST(Results, UnknownTablesAndColumnsAreRefused) {
  const Plan plan = parse(kPlan);
  const UnitFunction other = [](const Cell&, std::size_t) {
    return Json{
        {"tables",
         {{"victims", {{"columns", {"victim", "distanse", "psnr", "error"}}, {"rows", Json::array()}}}}}};
  };
  try {
    assemble_results(plan, execute(plan, nullptr, other).units, "");
    FAIL();
  } catch (const PlanError& error) {
    EXPECT_THAT(error.what(), HasSubstr("plan.toml:16: curve[0].x: table \"victims\" has no column "
                                        "\"distance\"; did you mean \"distanse\""));
  }
}

TEST(Results, NonFiniteNumbersBecomeNullAndBooleansCount) {
  const Plan plan = parse("name=\"x\"\ntitle=\"X\"\n");
  const UnitFunction odd = [](const Cell&, std::size_t) {
    return Json{
        {"tables",
         {{"t",
           {{"columns", {"a", "hit"}},
            {"rows",
             {{std::nan(""), true}, {std::numeric_limits<double>::infinity(), false}, {2.0, true}}}}}}}};
  };
  const Json cell = assemble_results(plan, execute(plan, nullptr, odd).units, "")["cells"][0];
  EXPECT_TRUE(cell["tables"]["t"]["rows"][0][1].is_null());
  EXPECT_EQ(cell["summary"]["t"]["a"]["mean"], 2.0);
  EXPECT_EQ(cell["summary"]["t"]["a"]["count"], 1);
  EXPECT_DOUBLE_EQ(cell["summary"]["t"]["hit"]["mean"].get<double>(), 2.0 / 3);
}

TEST(Results, RaggedRowsAreOurBug) {
  const Plan plan = parse("name=\"x\"\ntitle=\"X\"\n");
  const UnitFunction ragged = [](const Cell&, std::size_t) {
    return Json{{"tables", {{"t", {{"columns", {"a", "b"}}, {"rows", {{1, 2}, {1}}}}}}}};
  };
  EXPECT_THROW(assemble_results(plan, execute(plan, nullptr, ragged).units, ""), Error);
}

TEST(Results, DoNotDependOnTheNumberOfThreads) {
  const Plan plan = parse(kPlan);
  set_thread_count(1);
  const std::string one = results_of(plan).dump();
  for (const std::size_t threads : {2, 3, 8}) {
    set_thread_count(threads);
    EXPECT_EQ(results_of(plan).dump(), one) << threads << " threads";
  }
  set_thread_count(0);
}

}  // namespace
}  // namespace earshot
