#include "earshot/attack/leak/primal_dual_facts.hpp"

#include <cmath>
#include <numeric>
#include <string>

#include "earshot/attack/leak/public_facts.hpp"

namespace earshot {
namespace {

double positive(const PublicKnowledge& told, const char* name) {
  const auto value = fact<double>(told, name);
  if (std::isfinite(value) && value > 0) return value;
  fail(Fault::kData,
       fmt::format("the view tells that \"{}\" of its protocol is {}, which is not above 0", name, value));
}

std::optional<double> step_of(const PublicKnowledge& told, const char* name) {
  if (!told.protocol.contains(name)) return {};
  return positive(told, name);
}

void read_update(const PublicKnowledge& told, PrimalDualFacts& facts) {
  const auto update = fact<std::string>(told, "update");
  if (update == "exact") {
    facts.rule = LocalRule::kExact;
  } else if (update == "gradient") {
    facts.rule = fact<std::size_t>(told, "k_max") == 1 ? LocalRule::kOneStep : LocalRule::kSteps;
    facts.step = step_of(told, "alpha");
  } else if (update == "quadratic") {
    facts.rule = LocalRule::kParabola;
    facts.step = step_of(told, "mu");
  } else {
    fail(Fault::kData, fmt::format("nothing is known of updates that are \"{}\"", update));
  }
}

/// A server weighs nodes by their records, which is the same as giving their losses that weight.
void read_scales(const PublicKnowledge& told, PrimalDualFacts& facts) {
  facts.records = fact<std::vector<std::size_t>>(told, "records");
  const std::size_t nodes = facts.network.node_count() - (facts.server ? 1 : 0);
  if (facts.records.size() != nodes)
    fail(Fault::kData, fmt::format("the view tells the records of {} nodes, but {} of its network learn",
                                   facts.records.size(), nodes));
  const bool sum = fact<std::string>(told, "loss") == "sum";
  const auto all =
      static_cast<double>(std::accumulate(facts.records.begin(), facts.records.end(), std::size_t{0}));
  for (const std::size_t own : facts.records) {
    if (own == 0) fail(Fault::kData, "the view tells of a node without records");
    const auto count = static_cast<double>(own);
    facts.scales.push_back(sum ? count : facts.server ? count * static_cast<double>(nodes) / all : 1);
  }
}

}  // namespace

PrimalDualFacts primal_dual_facts(const PublicKnowledge& told) {
  const auto kind = fact<std::string>(told, "kind");
  if (kind != "pdmm" && kind != "admm" && kind != "server_pdmm")
    fail(Fault::kConfig,
         fmt::format("protocol {} has no auxiliary variables to read; this attack is for pdmm, admm and "
                     "server_pdmm",
                     kind));
  if (told.network == nullptr) fail(Fault::kData, "the view does not tell who could talk to whom");
  PrimalDualFacts facts;
  facts.network = *told.network;
  facts.server = kind == "server_pdmm";
  facts.rho = positive(told, "rho");
  facts.theta = positive(told, "theta");
  read_update(told, facts);
  facts.differential = fact<std::string>(told, "messages") == "differential";
  facts.zero_start = fact<double>(told, "z_deviation") == 0;
  facts.cell = fact<double>(told, "cell_width", 0.0);
  facts.exchanges = fact<Round>(told, "exchanges");
  if (facts.exchanges == 0) fail(Fault::kData, "the view tells of rounds without exchanges");
  read_scales(told, facts);
  return facts;
}

}  // namespace earshot
