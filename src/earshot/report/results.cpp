#include "earshot/report/results.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/report/document_part.hpp"

namespace earshot {
namespace {

using parts::keyed;
using parts::list;
using parts::maybe;
using parts::maybe_number;
using parts::number;
using parts::Part;
using parts::text;
using parts::truth;
using parts::word;
using parts::words;

constexpr int kFormat = 1;

/// Images are shown as data: URLs; anything but base64 would only draw a broken picture.
std::string image(const Part& part) {
  std::string encoded = text(part);
  constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";
  if (encoded.empty() || encoded.find_first_not_of(kAlphabet) != std::string::npos)
    part.refuse("a PNG image in base64");
  return encoded;
}

std::string node_name(const Part& part) {
  if (!part.json.is_object()) return word(part);
  if (!part.has("name")) part.refuse("a node with a \"name\"");
  return word(part.at("name"));
}

NetworkFacts read_network(const Part& part) {
  NetworkFacts network;
  network.nodes = maybe(part, "nodes", [](const Part& p) { return list(p, node_name); });
  const auto edge = [&](const Part& p) {
    if (!p.json.is_array() || p.json.size() != 2) p.refuse("a pair of node indices");
    const auto end = [&](std::size_t i) {
      const Part index = p.at(i);
      if (!index.json.is_number_integer() || index.json < 0 || index.json >= network.nodes.size())
        index.refuse(fmt::format("the index of one of the {} nodes", network.nodes.size()));
      return index.json.get<std::size_t>();
    };
    return std::pair{end(0), end(1)};
  };
  network.edges = maybe(part, "edges", [&](const Part& p) { return list(p, edge); });
  network.diameter = maybe_number(part, "diameter");
  network.spectral_gap = maybe_number(part, "spectral_gap");
  network.rounds = maybe_number(part, "rounds");
  return network;
}

HiddenRelation read_relation(const Part& part) {
  HiddenRelation relation{maybe(part, "nodes", words), maybe(part, "coefficients", words)};
  const bool unknown = relation.coefficients.empty();  // their height exceeded what was searched
  if (!unknown && relation.nodes.size() != relation.coefficients.size())
    part.refuse("as many coefficients as nodes");
  return relation;
}

ExposureFacts read_exposure(const Part& part) {
  const auto beyond_or_number = [](const Part& p) {
    return p.json.is_null() ? std::nullopt : std::optional(number(p));
  };
  ExposureFacts exposure;
  exposure.attackers = maybe(part, "attackers", words);
  exposure.reconstructible = maybe(part, "reconstructible", words);
  exposure.first_round = maybe(part, "first_round", [](const Part& p) { return keyed(p, number); });
  exposure.amplification =
      maybe(part, "amplification", [&](const Part& p) { return keyed(p, beyond_or_number); });
  exposure.by_round = maybe(part, "by_round", [](const Part& p) { return list(p, number); });
  exposure.relations = maybe(part, "relations", [](const Part& p) { return list(p, read_relation); });
  return exposure;
}

StatementFacts read_statement(const Part& part) {
  StatementFacts statement;
  statement.epsilon = maybe_number(part, "epsilon");
  statement.delta = maybe_number(part, "delta");
  // Silence is not a guarantee: without a finite epsilon nothing counts as private, whatever else is written.
  const bool claimed = part.has("private") ? truth(part.at("private")) : true;
  statement.is_private = statement.epsilon.has_value() && claimed;
  statement.definition = maybe(part, "definition", text);
  statement.unit = maybe(part, "unit", text);
  statement.adjacency = maybe(part, "adjacency", text);
  statement.adversary = maybe(part, "adversary", text);
  statement.assumptions = maybe(part, "assumptions", [](const Part& p) { return list(p, text); });
  return statement;
}

TableFacts read_table(const Part& part) {
  TableFacts table;
  table.columns = maybe(part, "columns", [](const Part& p) { return list(p, text); });
  const auto value = [](const Part& p) {
    if (p.json.is_structured()) p.refuse("a number, a word or null");
    return p.json;
  };
  const auto row = [&](const Part& p) {
    if (p.json.is_array() && p.json.size() != table.columns.size())
      p.refuse(fmt::format("a row of {} values", table.columns.size()));
    return list(p, value);
  };
  table.rows = maybe(part, "rows", [&](const Part& p) { return list(p, row); });
  return table;
}

Spread read_spread(const Part& part) {
  return {maybe_number(part, "mean"), maybe_number(part, "std"), maybe_number(part, "min"),
          maybe_number(part, "max"), maybe_number(part, "count")};
}

GalleryImage read_gallery_image(const Part& part) {
  return {maybe(part, "attacker", word), maybe(part, "victim", word), maybe(part, "image", image),
          maybe_number(part, "psnr")};
}

CellResults read_cell(const Part& part) {
  CellResults cell;
  if (part.has("settings")) {
    const Part settings = part.at("settings");
    for (const auto& [key, value] : settings.object().json.items())
      cell.settings.emplace_back(key, plain_text(value));
  }
  if (part.has("network")) cell.network = read_network(part.at("network"));
  if (part.has("statement")) cell.statement = read_statement(part.at("statement"));
  cell.exposure = maybe(part, "exposure", [](const Part& p) { return list(p, read_exposure); });
  cell.tables = maybe(part, "tables", [](const Part& p) { return keyed(p, read_table); });
  const auto spreads = [](const Part& p) { return keyed(p, read_spread); };
  cell.summary = maybe(part, "summary", [&](const Part& p) { return keyed(p, spreads); });
  cell.truths = maybe(part, "truths", [](const Part& p) { return keyed(p, image); });
  if (part.has("places")) cell.places = read_place_maps(part.at("places"));
  cell.gallery = maybe(part, "gallery", [](const Part& p) { return list(p, read_gallery_image); });
  return cell;
}

CurveFacts read_curve(const Part& part) {
  const auto point = [](const Part& p) {
    Json x;
    if (p.has("x")) x = p.at("x").json;
    if (x.is_structured()) p.at("x").refuse("a number or a word");
    return CurvePoint{x, maybe_number(p, "mean"), maybe_number(p, "std"), maybe_number(p, "count")};
  };
  const auto series = [&](const Part& p) {
    return CurveSeries{maybe(p, "name", word), maybe(p, "y", text),
                       maybe(p, "points", [&](const Part& q) { return list(q, point); })};
  };
  return {maybe(part, "title", text), maybe(part, "x", text),
          maybe(part, "series", [&](const Part& p) { return list(p, series); })};
}

std::vector<std::optional<double>> compared_numbers(const Part& part) {
  const auto number_or_nothing = [](const Part& p) {
    return p.json.is_null() ? std::nullopt : std::optional(number(p));
  };
  auto numbers = list(part, number_or_nothing);
  if (numbers.size() != 2) part.refuse("a list of two numbers");
  return numbers;
}

ExpectationFacts read_expectation(const Part& part) {
  ExpectationFacts expectation;
  expectation.source = maybe(part, "source", text);
  expectation.what = maybe(part, "what", text);
  expectation.measure = maybe(part, "measure", text);
  expectation.note = maybe(part, "note", text);
  expectation.published = maybe_number(part, "published");
  expectation.tolerance = maybe_number(part, "tolerance");
  expectation.at_least = maybe_number(part, "at_least");
  expectation.at_most = maybe_number(part, "at_most");
  expectation.measured = maybe_number(part, "measured");
  if (part.has("compared")) expectation.compared = compared_numbers(part.at("compared"));
  if (part.has("met")) expectation.met = truth(part.at("met"));
  return expectation;
}

std::string read_version(const Part& document) {
  if (!document.has("earshot"))
    fail(Fault::kData,
         "not an earshot results document: it has no \"earshot\" part; give the results.json of a run");
  const Part stamp = document.at("earshot");
  if (!stamp.has("format")) stamp.refuse("an object with a \"format\"");
  if (const double format = number(stamp.at("format")); format != kFormat)
    fail(Fault::kData,
         fmt::format("results document has format {}, this earshot reads format {}", format, kFormat));
  return maybe(stamp, "version", text);
}

}  // namespace

std::optional<std::size_t> TableFacts::column(const std::string& name) const {
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (columns[i] == name) return i;
  return std::nullopt;
}

std::string plain_text(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return value.get<std::string>();
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Results read_results(const Json& json) {
  const Part document{json, ""};
  document.object();
  Results results;
  results.version = read_version(document);
  results.command = maybe(document, "command", text);
  if (document.has("experiment")) {
    const Part experiment = document.at("experiment");
    results.name = maybe(experiment, "name", text);
    results.title = maybe(experiment, "title", text);
    results.reference = maybe(experiment, "reference", text);
    results.seed = maybe(experiment, "seed", word);
    results.trials = maybe(experiment, "trials", word);
    if (experiment.has("plan")) results.plan = experiment.at("plan").object().json;
  }
  results.cells = maybe(document, "cells", [](const Part& p) { return list(p, read_cell); });
  results.curves = maybe(document, "curves", [](const Part& p) { return list(p, read_curve); });
  // Settings changed on the command line leave curves behind that none of the rows belongs to.
  std::erase_if(results.curves, [](const CurveFacts& curve) {
    return std::ranges::all_of(curve.series, [](const CurveSeries& series) { return series.points.empty(); });
  });
  results.expectations =
      maybe(document, "expectations", [](const Part& p) { return list(p, read_expectation); });
  return results;
}

}  // namespace earshot
