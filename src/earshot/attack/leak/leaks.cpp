#include "earshot/attack/leak/leaks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "earshot/attack/gossip/gossip_attack.hpp"
#include "earshot/attack/leak/federated_leak.hpp"
#include "earshot/attack/leak/gossip_leak.hpp"
#include "earshot/attack/leak/primal_dual_leak.hpp"
#include "earshot/attack/leak/primal_dual_settings.hpp"
#include "earshot/attack/leak/public_facts.hpp"

namespace earshot {
namespace {

constexpr std::array<std::string_view, 4> kFederatedKinds{"fedsgd", "fedavg", "fedprox", "scaffold"};
constexpr std::array<std::string_view, 3> kPrimalDualKinds{"pdmm", "admm", "server_pdmm"};

FederatedLeakOptions federated_options(const Settings& recipe) {
  FederatedLeakOptions options;
  if (recipe.has("round")) options.round = recipe.size("round");
  if (recipe.has("unrolled")) options.unrolled = recipe.boolean("unrolled");
  return options;
}

GossipLeakOptions gossip_options(const Settings& recipe) {
  GossipLeakOptions options;
  if (recipe.has("estimator")) {
    options.estimator = estimator_kind(recipe.text("estimator"));
    options.cut = recipe.real("cut");
  }
  return options;
}

}  // namespace

std::optional<LeakSource> leak_source(std::string_view protocol) {
  if (std::ranges::find(kFederatedKinds, protocol) != kFederatedKinds.end()) return LeakSource::kFederated;
  if (std::ranges::find(kPrimalDualKinds, protocol) != kPrimalDualKinds.end()) return LeakSource::kPrimalDual;
  if (protocol == "dgd") return LeakSource::kGossip;
  return {};
}

std::vector<Leak> find_leaks(const View& view, std::size_t parameters, const Settings& recipe,
                             const Architecture* architecture) {
  const auto kind = fact<std::string>(view.told(), "kind");
  const std::optional<LeakSource> source = leak_source(kind);
  if (!source)
    fail(Fault::kConfig, fmt::format("no attack reads gradients off the messages of protocol \"{}\"", kind));
  switch (*source) {
    case LeakSource::kFederated:
      return federated_leaks(view, parameters, federated_options(recipe));
    case LeakSource::kGossip:
      return gossip_leaks(view, parameters, gossip_options(recipe));
    case LeakSource::kPrimalDual:
      return primal_dual_leaks(view, primal_dual_options(recipe, architecture));
  }
  fail(Fault::kInternal, "unknown source of leaks");
}

double public_noise_scale(const PublicKnowledge& told, const Leak& leak) {
  if (leak.cell > 0) return leak.cell;
  const auto found = told.protocol.find("noise");
  if (found == told.protocol.end() || leak.observation.local_training || leak.rounds != 1) return 0;
  const double deviation = found->at("deviation").get<double>();
  const double share = found->at("on").get<std::string>() == "sum"
                           ? 1 / static_cast<double>(records_of_step(told, leak.victim))
                           : 1;
  const bool laplace = found->at("law").get<std::string>() == "laplace";
  return deviation * share / (laplace ? std::numbers::sqrt2 : 1);
}

}  // namespace earshot
