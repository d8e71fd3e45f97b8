#include "earshot/attack/leak/leaks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numbers>

#include <fmt/format.h>

#include "earshot/attack/gossip/gossip_attack.hpp"
#include "earshot/attack/leak/federated_leak.hpp"
#include "earshot/attack/leak/gossip_leak.hpp"
#include "earshot/attack/leak/gossip_steps.hpp"
#include "earshot/attack/leak/primal_dual_leak.hpp"
#include "earshot/attack/leak/primal_dual_settings.hpp"
#include "earshot/attack/leak/public_facts.hpp"
#include "earshot/attack/leak/ring_leak.hpp"

namespace earshot {
namespace {

constexpr std::array<std::string_view, 4> kFederatedKinds{"fedsgd", "fedavg", "fedprox", "scaffold"};
constexpr std::array<std::string_view, 3> kPrimalDualKinds{"pdmm", "admm", "server_pdmm"};
constexpr std::array<std::string_view, 3> kGossipStepKinds{"d_psgd", "muffliato", "muffliato_random"};

template <std::size_t n>
bool is_one_of(const std::array<std::string_view, n>& kinds, std::string_view kind) {
  return std::ranges::find(kinds, kind) != kinds.end();
}

std::vector<Leak> leaks_to_server(const View& view, std::size_t parameters, const Settings& recipe) {
  FederatedLeakOptions options;
  if (recipe.has("unrolled")) options.unrolled = recipe.boolean("unrolled");
  const StepChoice choice = step_choice(recipe, view.told());
  if (choice.rounds.empty()) return federated_leaks(view, parameters, options);
  std::vector<Leak> all;
  for (const std::uint64_t round : choice.rounds) {
    options.round = round;
    std::ranges::move(federated_leaks(view, parameters, options), std::back_inserter(all));
  }
  return all;
}

GossipLeakOptions gossip_options(const Settings& recipe, const PublicKnowledge& told) {
  GossipLeakOptions options;
  options.rounds = step_choice(recipe, told).rounds;
  if (recipe.has("estimator")) {
    options.estimator = estimator_kind(recipe.text("estimator"));
    options.cut = recipe.real("cut");
    options.exact_steps = recipe.boolean("exact_steps");
  }
  return options;
}

}  // namespace

std::optional<LeakSource> leak_source(std::string_view protocol) {
  if (is_one_of(kFederatedKinds, protocol)) return LeakSource::kFederated;
  if (is_one_of(kPrimalDualKinds, protocol)) return LeakSource::kPrimalDual;
  if (is_one_of(kGossipStepKinds, protocol)) return LeakSource::kGossipSteps;
  if (protocol == "dgd") return LeakSource::kGossip;
  if (protocol == "skip_ring") return LeakSource::kRing;
  return {};
}

StepChoice step_choice(const Settings& recipe, const PublicKnowledge& told) {
  StepChoice choice;
  if (recipe.has("victims")) choice.victims = recipe.size("victims");
  if (recipe.has("rounds"))
    choice.rounds = parse_rounds(recipe.text("rounds"), fact<std::uint64_t>(told, "rounds"));
  else if (recipe.has("round"))
    choice.rounds = {recipe.size("round")};
  return choice;
}

std::vector<Leak> find_leaks(const View& view, std::size_t parameters, const Settings& recipe,
                             const Architecture* architecture) {
  const auto kind = fact<std::string>(view.told(), "kind");
  const std::optional<LeakSource> source = leak_source(kind);
  if (!source)
    fail(Fault::kConfig, fmt::format("no attack reads gradients off the messages of protocol \"{}\"", kind));
  switch (*source) {
    case LeakSource::kFederated:
      return leaks_to_server(view, parameters, recipe);
    case LeakSource::kGossip:
      return gossip_leaks(view, parameters, gossip_options(recipe, view.told()));
    case LeakSource::kPrimalDual:
      return primal_dual_leaks(view, primal_dual_options(recipe, architecture));
    case LeakSource::kRing:
      return ring_leaks(view, parameters, step_choice(recipe, view.told()));
    case LeakSource::kGossipSteps:
      return gossip_step_leaks(view, parameters, step_choice(recipe, view.told()));
  }
  fail(Fault::kInternal, "unknown source of leaks");
}

RoundWindow window_of_round(const PublicKnowledge& told, std::uint64_t round) {
  const auto window = [](std::uint64_t first, std::uint64_t end) {
    return RoundWindow{static_cast<Round>(first), static_cast<Round>(end)};
  };
  const auto source = leak_source(fact<std::string>(told, "kind"));
  if (source == LeakSource::kGossip || source == LeakSource::kGossipSteps) {
    const auto gossip_steps = fact<std::uint64_t>(told, "gossip_steps");
    const std::uint64_t first = (round - 1) * gossip_steps;
    if (!moves_before_talking(told)) return window(first, first + gossip_steps + 1);
    return window(round > 1 ? first - 1 : 0, first + 1);
  }
  if (source == LeakSource::kRing) {
    const auto visits = fact<std::uint64_t>(told, "visits_per_round");
    return window(round > 1 ? (round - 1) * visits - 1 : 0, round * visits);
  }
  const auto sends = fact<std::string>(told, "sends", "");
  const bool alone = source == LeakSource::kFederated && (sends == "gradients" || sends == "models");
  if (alone) return window(2 * (round - 1), 2 * round);
  return window(0, 2 * round);  // differences and controls are sums from the start
}

std::uint64_t heard_by_round(const PublicKnowledge& told, std::uint64_t round) {
  return leak_source(fact<std::string>(told, "kind")) == LeakSource::kGossipSteps &&
                 !moves_before_talking(told)
             ? round + 1
             : round;
}

std::optional<MessageChoice> messages_read(const Adversary& adversary, const PublicKnowledge& told,
                                           const RoundWindow& window, const Settings& recipe) {
  const auto source = leak_source(fact<std::string>(told, "kind"));
  if (source != LeakSource::kPrimalDual && recipe.has("round"))
    return MessageChoice{window_of_round(told, recipe.size("round")), {}};
  const bool few = recipe.has("victims") && recipe.size("victims") > 0;
  const bool fits = recipe.has("fit_step") && recipe.boolean("fit_step");
  if (source != LeakSource::kPrimalDual || !few || fits) return {};
  auto read = messages_read(adversary, told, window, primal_dual_options(recipe, nullptr));
  if (!read) return {};
  return MessageChoice{{}, std::move(*read)};
}

double public_noise_scale(const PublicKnowledge& told, const Leak& leak) {
  if (leak.cell > 0) return leak.cell;
  const auto found = told.protocol.find("noise");
  if (found == told.protocol.end() || leak.observation.local_training || leak.rounds != 1) return 0;
  const double deviation = found->at("deviation").get<double>();
  const double share = found->at("on").get<std::string>() == "sum"
                           ? 1 / static_cast<double>(records_of_step(told, leak.victim))
                           : 1;
  const auto law = found->at("law").get<std::string>();
  const bool laplace = law == "laplace" || law == "concentrated_laplace";
  return deviation * share / (laplace ? std::numbers::sqrt2 : 1);
}

}  // namespace earshot
