#include "earshot/attack/leak/gossip_leak.hpp"

#include <algorithm>
#include <set>
#include <string>

#include <fmt/format.h>

#include "earshot/attack/gossip/gossip_attack.hpp"
#include "earshot/attack/leak/gossip_steps.hpp"
#include "earshot/attack/leak/public_facts.hpp"

namespace earshot {
namespace {

/// Empty if it can be made.
std::string why_no_estimate(const View& view) {
  const PublicKnowledge& told = view.told();
  if (told.gossip_matrix == nullptr)
    return "gradients are recovered from gossip only where the weights are fixed and known";
  const bool plain = fact<std::size_t>(told, "local_steps", 1) == 1 &&
                     fact<std::size_t>(told, "gossip_steps", 1) == 1 &&
                     !fact<bool>(told, "accelerated", false);
  if (!plain || !moves_before_talking(told))
    return "gradients are recovered from one local step and one averaging a round, sent after the step: use "
           "protocol \"dgd\" with gossip_steps 1 and local_steps 1";
  if (!view.messages().empty() && view.messages().front().round != 0)
    return "gradients are recovered from a recording that starts with the first round: set adversary.from to "
           "1";
  return {};
}

/// Of every node of which there is no leak yet.
void add_estimates(const View& view, std::size_t parameters, const GossipLeakOptions& options,
                   std::vector<Leak>& leaks) {
  const PublicKnowledge& told = view.told();
  const Graph& graph = told.gossip_matrix->graph();
  std::set<NodeId> exact;
  for (const Leak& leak : leaks) exact.insert(leak.victim);
  if (view.messages().empty() || heard_nodes(graph, view.adversary()).empty() ||
      exact.size() == target_nodes(graph, view.adversary()).size())
    return;
  const Exposure exposure = analyse_exposure(*told.gossip_matrix, view.adversary(), {view.rounds()});
  const LinearReconstruction found = reconstruct_gradients(view, exposure, options.estimator, options.cut);
  for (std::size_t i = 0; i < found.targets.size(); ++i) {
    const NodeId victim = found.targets[i];
    if (exact.contains(victim)) continue;
    const auto row = found.values.row(static_cast<Eigen::Index>(i));
    const std::span<const double> gradient(row.data(), static_cast<std::size_t>(row.size()));
    Leak leak;
    leak.victim = victim;
    leak.rounds = view.rounds();
    leak.observation = observe_gradient(Parameters(told.initial_parameters).first(parameters),
                                        gradient.first(parameters), records_of_step(told, victim));
    leak.what = fmt::format("gradient {} the messages of {} rounds of gossip",
                            found.identified[i] ? "determined by" : "guessed from", view.rounds());
    leaks.push_back(std::move(leak));
  }
}

}  // namespace

std::vector<Leak> gossip_leaks(const View& view, std::size_t parameters, const GossipLeakOptions& options) {
  std::vector<Leak> leaks;
  if (options.exact_steps) leaks = gossip_step_leaks(view, parameters, {options.rounds});
  if (options.exact_steps && !options.rounds.empty()) return leaks;
  const std::string why = why_no_estimate(view);
  if (why.empty())
    add_estimates(view, parameters, options, leaks);
  else if (leaks.empty())
    fail(Fault::kConfig, why);
  std::ranges::stable_sort(leaks, {}, &Leak::victim);
  return leaks;
}

}  // namespace earshot
