#include "earshot/report/sample.hpp"

#include <array>

namespace earshot {
namespace {

constexpr const char* kPixel =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==";

using Names = std::array<std::string, 4>;

Json exposure_of(const Names& names, std::size_t attacker) {
  Json first_round = Json::object(), amplification = Json::object(), reached = Json::array();
  for (std::size_t v = 0; v < names.size(); ++v) {
    if (v == attacker || (attacker == 3 && v == 0)) continue;
    reached.push_back(names[v]);
    first_round[names[v]] = v + 1;
    amplification[names[v]] = v == 2 ? Json(nullptr) : Json(1.5);
  }
  return {{"attackers", {names[attacker]}},
          {"reconstructible", reached},
          {"first_round", first_round},
          {"amplification", amplification},
          {"by_round", {1, 2, 3}},
          {"relations", {{{"nodes", {names[0], names[1]}}, {"coefficients", {"1", "-1/2"}}}}}};
}

Json tables(const Names& names, bool noise) {
  Json attackers = Json::array(), victims = Json::array();
  for (std::size_t a = 0; a < names.size(); ++a) {
    const double reconstructed = a == 3 ? 3 : 4;  // itself included
    attackers.push_back({0, names[a], 1, a == 0 || a == 3 ? 1 : 2, 0.5, 1.0, reconstructed, reconstructed / 4,
                         noise ? 0.0 : 0.75});
    for (std::size_t v = 0; v < names.size(); ++v)
      if (v != a)
        victims.push_back(
            {0, names[a], names[v], 1, noise ? 4.0 : 30.0, 0.9, 0.01, 0.1, 8.0, 11.0, noise ? 0 : 1});
  }
  return {
      {"training",
       {{"columns", {"trial", "loss", "accuracy", "consensus_error"}}, {"rows", {{0, 0.4, 0.875, 0.01}}}}},
      {"attackers",
       {{"columns",
         {"trial", "attacker", "size", "degree", "eigenvector", "betweenness", "reconstructed",
          "reconstructed_share", "success_rate"}},
        {"rows", attackers}}},
      {"victims",
       {{"columns",
         {"trial", "attacker", "victim", "distance", "psnr", "ssim", "mse", "relative_error", "zero_psnr",
          "mean_psnr", "success"}},
        {"rows", victims}}}};
}

Json cell(const Names& names, bool noise) {
  Json exposure = Json::array(), nodes = Json::array();
  for (std::size_t a = 0; a < names.size(); ++a) {
    exposure.push_back(exposure_of(names, a));
    nodes.push_back({{"name", names[a]}});
  }
  return {{"settings", {{"mechanism.kind", noise ? "gaussian" : "none"}}},
          {"network",
           {{"nodes", nodes},
            {"edges", {{0, 1}, {1, 2}, {2, 3}}},
            {"diameter", 3},
            {"spectral_gap", 0.195},
            {"rounds", 3}}},
          {"exposure", exposure},
          {"statement",
           {{"epsilon", noise ? Json(8.0) : Json(nullptr)},
            {"delta", 1e-5},
            {"definition", "(ε, δ)-local differential privacy"},
            {"unit", "one node's whole data"},
            {"adjacency", "replace-one"},
            {"adversary", "every neighbour"},
            {"assumptions", {"noise is drawn independently"}},
            {"private", noise}}},
          {"tables", tables(names, noise)},
          {"summary",
           {{"victims", {{"psnr", {{"mean", 30}, {"std", 1}, {"min", 29}, {"max", 31}, {"count", 12}}}}}}},
          {"truths", {{names[0], kPixel}, {names[1], kPixel}}},
          {"gallery", {{{"attacker", names[1]}, {"victim", names[0]}, {"image", kPixel}, {"psnr", 30.0}}}}};
}

}  // namespace

Json sample_table_attack(double accuracy, double random, double likeliest) {
  Json attacks = Json::array(), parts = Json::array();
  for (const double more : {-0.01, 0.01})
    attacks.push_back({0, "server", "node 3", 2, accuracy + more, random, likeliest});
  attacks.push_back({0, "server", "node 4", 2, nullptr, nullptr, nullptr});
  for (int part = 1; part <= 10; ++part)
    parts.push_back(
        {0, "server", "category", part, 50, part == 1 ? 1.0 : 0.5 * accuracy, random, likeliest, 0.1 * part});
  return {{"table_attacks",
           {{"columns", {"trial", "attacker", "victim", "round", "accuracy", "random", "likeliest"}},
            {"rows", attacks}}},
          {"table_columns",
           {{"columns",
             {"trial", "attacker", "round", "column", "kind", "cells", "accuracy", "random", "likeliest"}},
            {"rows",
             {{0, "server", 2, "age", "number", 40, likeliest, random, likeliest},
              {0, "server", 2, "work", "category", 40, 0.75, 0.25, 0.5},
              {1, "server", 2, "work", "category", 120, 0.95, 0.25, 0.5}}}}},
          {"confidence",
           {{"columns",
             {"trial", "attacker", "kind", "part", "cells", "accuracy", "random", "likeliest", "entropy"}},
            {"rows", parts}}},
          {"table_rows",
           {{"columns",
             {"trial", "attacker", "victim", "round", "row", "column", "truth", "guess", "right", "entropy"}},
            {"rows",
             {{0, "server", "node 3", 2, 1, "age", "34", "35", true, 0.2},
              {0, "server", "node 3", 2, 1, "work", "office", "<farm>", false, 0.9}}}}}};
}

Json sample_places() {
  const auto grid = [](int columns, double west) {
    return Json{{"rows", 1},
                {"columns", columns},
                {"box", {{"south", 48.8}, {"west", west}, {"north", 48.9}, {"east", 2.4}}}};
  };
  return {{"grid", grid(2, 2.2)},
          {"truth", {0.25, 0.75}},
          {"collections",
           {{{"name", "Cycle 1"},
             {"emd", 0.05},
             {"report_grid", grid(3, 2.1)},
             {"reports", {0.5, 0.25, 0.25}},
             {"estimate", {0.2, 0.8}},
             {"self_report", {0.6, 0.5}},
             {"epsilon", {1.5, nullptr}}}}}};
}

Json sample_document(const std::string& name) {
  const Names names = {name, "Blaise", "Émilie", "Kurt"};
  const Json points = {{{"x", 1}, {"mean", 30.0}, {"std", 1.0}, {"count", 10}},
                       {{"x", 2}, {"mean", 20.0}, {"std", 2.0}, {"count", 10}}};
  return {{"earshot", {{"version", "0.1.0"}, {"format", 1}}},
          {"command", "earshot audit --seed 1"},
          {"experiment",
           {{"name", "line"},
            {"title", "A line of four"},
            {"reference", "El Mrini, Cyffers & Bellet 2024"},
            {"seed", 1},
            {"trials", 1},
            {"plan", {{"graph", {{"kind", "line"}}}}}}},
          {"cells", {cell(names, false), cell(names, true)}},
          {"curves",
           {{{"title", "PSNR by distance"},
             {"table", "victims"},
             {"x", "distance"},
             {"series", {{{"name", "no noise"}, {"y", "psnr"}, {"points", points}}}}}}},
          {"expectations",
           {{{"source", "Table 1"},
             {"what", "correlation with degree"},
             {"measure", "spearman"},
             {"published", 0.94},
             {"tolerance", 0.1},
             {"measured", 0.945},
             {"met", true},
             {"note", "20 graphs"}},
            {{"what", "PSNR at distance 28"}, {"at_least", 10}, {"measured", 9}, {"met", false}},
            {{"what", "share"}, {"at_most", 0.5}}}}};
}

}  // namespace earshot
