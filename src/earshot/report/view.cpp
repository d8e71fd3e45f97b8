#include "earshot/report/view.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "earshot/report/facts.hpp"
#include "earshot/report/layout.hpp"
#include "earshot/report/wording.hpp"

namespace earshot {
namespace {

constexpr std::size_t kRelationsShown = 12;

Json or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

/// Four significant digits are more than a hover shows and half the bytes.
Json brief(const std::optional<double>& value) {
  if (!value || *value == 0.0) return or_null(value);
  const double scale = std::pow(10.0, 3.0 - std::floor(std::log10(std::abs(*value))));
  const double rounded = std::round(*value * scale) / scale;
  return std::isfinite(rounded) ? rounded : *value;
}

Json network_view(const NetworkFacts& network) {
  Json places = Json::array();
  for (const auto& [x, y] : node_places(network.nodes.size(), network.edges))
    places.push_back({std::round(x * 1e4) / 1e4, std::round(y * 1e4) / 1e4});
  return {{"nodes", network.nodes},
          {"edges", network.edges},
          {"places", places},
          {"diameter", or_null(network.diameter)},
          {"spectral_gap", brief(network.spectral_gap)},
          {"rounds", or_null(network.rounds)}};
}

Json statement_view(const StatementFacts& statement) {
  return {{"private", statement.is_private},
          {"guarantee", guarantee_text(statement)},
          {"delta", or_null(statement.delta)},
          {"definition", statement.definition},
          {"unit", statement.unit},
          {"adjacency", statement.adjacency},
          {"adversary", statement.adversary},
          {"assumptions", statement.assumptions}};
}

/// What a training promises against each adversary, of its first trial.
Json promises_view(const CellResults& cell) {
  Json rows = Json::array();
  const auto found = cell.tables.find("statements");
  if (found == cell.tables.end()) return rows;
  const TableFacts& table = found->second;
  std::vector<std::size_t> places;
  for (const char* name : {"trial", "adversary", "epsilon", "delta", "unit", "definition", "assumptions"}) {
    const auto place = table.column(name);
    if (!place) return rows;
    places.push_back(*place);
  }
  for (const auto& row : table.rows) {
    if (row[places[0]] != 0) continue;
    Json shown = Json::array();
    for (std::size_t i = 1; i < places.size(); ++i) shown.push_back(row[places[i]]);
    rows.push_back(std::move(shown));
  }
  return rows;
}

/// "x(3) + 2·x(4)": what is known of values that stay hidden.
std::string relation_text(const HiddenRelation& relation) {
  std::string sum;
  for (std::size_t i = 0; i < relation.nodes.size(); ++i) {
    std::string coefficient = relation.coefficients.empty() ? "c" : relation.coefficients[i];
    const bool negative = coefficient.starts_with('-');
    if (negative) coefficient.erase(0, 1);
    sum += sum.empty() ? (negative ? "−" : "") : (negative ? " − " : " + ");
    sum += fmt::format("{}x({})", coefficient == "1" ? "" : coefficient + "·", relation.nodes[i]);
  }
  return sum;
}

Json attacker_view(const AttackerFacts& attacker) {
  Json view = {{"label", attacker.label},
               {"members", attacker.members},
               {"degree", brief(attacker.degree)},
               {"eigenvector", brief(attacker.eigenvector)},
               {"betweenness", brief(attacker.betweenness)},
               {"determined", brief(attacker.determined)},
               {"success", brief(attacker.success)},
               {"leak", brief(attacker.leak())},
               {"psnr", brief(attacker.psnr)},
               {"zero_psnr", brief(attacker.zero_psnr)},
               {"mean_psnr", brief(attacker.mean_psnr)},
               {"by_round", Json::array()},
               {"relations", Json::array()},
               {"relations_left_out", 0}};
  if (attacker.exposure == nullptr) return view;
  view["by_round"] = attacker.exposure->by_round;
  const auto& relations = attacker.exposure->relations;
  const std::size_t shown = std::min(kRelationsShown, relations.size());
  for (std::size_t i = 0; i < shown; ++i) view["relations"].push_back(relation_text(relations[i]));
  view["relations_left_out"] = relations.size() - shown;
  return view;
}

/// The attackers whose pairs fit the budget, those that reach most first.
std::vector<bool> attackers_kept(const CellFacts& facts, std::size_t budget) {
  std::vector<std::size_t> pairs(facts.attackers.size(), 0), order(facts.attackers.size());
  for (const PairFacts& pair : facts.pairs) ++pairs[pair.attacker];
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return facts.attackers[a].leak().value_or(0.0) > facts.attackers[b].leak().value_or(0.0);
  });
  std::vector<bool> kept(order.size(), false);
  std::size_t used = 0;
  for (const std::size_t a : order) {
    if (used + pairs[a] > budget) break;
    used += pairs[a];
    kept[a] = true;
  }
  return kept;
}

/// Values in the order the page's script unpacks them (assets/model.js). Those at the end that are not there
/// are left out: runs without images have none of the last.
Json pair_view(const PairFacts& pair) {
  Json row = {pair.attacker,
              pair.victim,
              pair.determined ? 1 : 0,
              or_null(pair.first_round),
              brief(pair.amplification),
              pair.beyond_precision ? 1 : 0,
              or_null(pair.distance),
              brief(pair.success),
              brief(pair.psnr),
              brief(pair.zero_psnr),
              brief(pair.mean_psnr),
              brief(pair.ssim),
              brief(pair.relative_error)};
  while (row.back().is_null()) row.erase(row.size() - 1);
  return row;
}

Json scores_view(const CellScores& scores) {
  return {{"accuracy", brief(scores.accuracy)},
          {"random", brief(scores.random)},
          {"likeliest", brief(scores.likeliest)},
          {"cells", or_null(scores.cells)}};
}

Json shown_row_view(const ShownRow& row) {
  Json cells = Json::array();
  for (const ShownCell& cell : row.cells)
    cells.push_back({cell.column, cell.truth, cell.guess, cell.right, brief(cell.trust)});
  return {{"victim", row.victim}, {"round", row.round}, {"row", row.row}, {"cells", cells}};
}

/// What the attack on rows of tables found; null where there was none.
Json table_view(const std::optional<TableAttackFacts>& facts) {
  if (!facts) return nullptr;
  Json view = scores_view(*facts);
  view["attacks"] = facts->attacks;
  view["failed"] = facts->failed;
  view["deviation"] = brief(facts->deviation);
  view["verdict"] = table_verdict_text(*facts);
  view["leaking"] = leaking_columns_text(*facts);
  view["confident"] = confidence_text(*facts);
  view["columns"] = Json::array();
  for (const LeakingColumn& column : facts->columns) {
    view["columns"].push_back(scores_view(column));
    view["columns"].back().update({{"name", column.name}, {"kind", column.kind}, {"gain", column.gain()}});
  }
  view["confidence"] = Json::array();
  for (const ConfidencePart& part : facts->confidence) {
    view["confidence"].push_back(scores_view(part));
    view["confidence"].back().update({{"kind", part.kind}, {"part", part.part}});
  }
  view["rows"] = Json::array();
  for (const ShownRow& row : facts->rows) view["rows"].push_back(shown_row_view(row));
  return view;
}

Json cell_view(const CellResults& cell, const CellFacts& facts, std::size_t pair_budget) {
  Json view = {{"label", facts.label},
               {"guarantee", facts.guarantee},
               {"nodes", facts.nodes},
               {"statement", cell.statement ? statement_view(*cell.statement) : Json(nullptr)},
               {"promises", promises_view(cell)},
               {"attackers", Json::array()},
               {"pairs", Json::array()},
               {"exposed_to", facts.exposed_to},
               {"reconstruct_most", facts.reconstruct_most},
               {"mean_leak", brief(facts.mean_leak)},
               {"mean_determined", brief(facts.mean_determined)},
               {"mean_success", brief(facts.mean_success)},
               {"psnr", brief(facts.psnr)},
               {"zero_psnr", brief(facts.zero_psnr)},
               {"mean_psnr", brief(facts.mean_psnr)},
               {"accuracy", brief(facts.accuracy)},
               {"baseline", brief(facts.baseline)},
               {"loss", brief(facts.loss)},
               {"consensus_error", brief(facts.consensus_error)},
               {"cells_right", brief(facts.cells_right)},
               {"cells_random", brief(facts.cells_random)},
               {"cells_likeliest", brief(facts.cells_likeliest)},
               {"table", table_view(facts.table)},
               {"places", cell.places ? place_maps_view(*cell.places) : Json(nullptr)},
               {"truths", cell.truths},
               {"gallery", Json::array()}};
  const std::vector<bool> kept = attackers_kept(facts, pair_budget);
  for (std::size_t a = 0; a < facts.attackers.size(); ++a) {
    view["attackers"].push_back(attacker_view(facts.attackers[a]));
    view["attackers"].back()["pairs_kept"] = static_cast<bool>(kept[a]);
  }
  for (const PairFacts& pair : facts.pairs)
    if (kept[pair.attacker]) view["pairs"].push_back(pair_view(pair));
  for (const GalleryImage& image : cell.gallery)
    view["gallery"].push_back({{"attacker", image.attacker},
                               {"victim", image.victim},
                               {"image", image.image},
                               {"psnr", brief(image.psnr)}});
  return view;
}

/// Sweeps often share one graph: each distinct one is laid out and stored once.
void add_cells(const Results& results, const std::vector<CellFacts>& facts, std::size_t pair_budget,
               Json& view) {
  std::vector<const NetworkFacts*> networks;
  const std::vector<SweptKey> keys = swept_keys(results.cells);
  for (const SweptKey& key : keys) view["swept"].push_back(key.title);
  const std::size_t budget = pair_budget / std::max<std::size_t>(1, facts.size());
  for (std::size_t c = 0; c < facts.size(); ++c) {
    const CellResults& cell = results.cells[c];
    Json shown = cell_view(cell, facts[c], budget);
    shown["network"] = nullptr;
    shown["swept"] = Json::array();
    for (const SweptKey& key : keys) shown["swept"].push_back(swept_value(cell, key.key));
    if (cell.network && !cell.network->nodes.empty()) {
      const auto same = std::find_if(networks.begin(), networks.end(),
                                     [&](const NetworkFacts* known) { return *known == *cell.network; });
      shown["network"] = same - networks.begin();
      if (same == networks.end()) {
        networks.push_back(&*cell.network);
        view["networks"].push_back(network_view(*cell.network));
      }
    }
    view["cells"].push_back(std::move(shown));
  }
}

Json curve_view(const CurveFacts& curve) {
  Json view = {{"title", curve.title}, {"x", curve.x}, {"series", Json::array()}};
  for (const CurveSeries& series : curve.series) {
    Json points = Json::array();
    for (const CurvePoint& point : series.points)
      points.push_back({point.x, brief(point.mean), brief(point.std), or_null(point.count)});
    view["series"].push_back({{"name", series.name}, {"y", series.y}, {"points", points}});
  }
  return view;
}

Json expectation_view(const ExpectationFacts& expectation) {
  return {{"what", subject_text(expectation)},       {"source", expectation.source},
          {"published", expected_text(expectation)}, {"measured", measured_text(expectation)},
          {"verdict", verdict_text(expectation)},    {"note", expectation.note}};
}

}  // namespace

Json page_view(const Results& results, std::size_t pair_budget) {
  std::vector<CellFacts> facts;
  for (const CellResults& cell : results.cells) facts.push_back(cell_facts(cell));
  Json view = {
      {"headline", headline_text(results, facts)},
      {"title", results.title.empty() ? results.name : results.title},
      {"reference", results.reference},
      {"version", results.version},
      {"command", results.command},
      {"seed", results.seed},
      {"trials", results.trials},
      {"plan",
       results.plan.is_null() ? "" : results.plan.dump(2, ' ', false, Json::error_handler_t::replace)},
      {"swept", Json::array()},
      {"networks", Json::array()},
      {"cells", Json::array()},
      {"curves", Json::array()},
      {"expectations", Json::array()}};
  add_cells(results, facts, pair_budget, view);
  for (const CurveFacts& curve : results.curves) view["curves"].push_back(curve_view(curve));
  for (const ExpectationFacts& e : results.expectations) view["expectations"].push_back(expectation_view(e));
  return view;
}

}  // namespace earshot
