#include "earshot/attack/leak/gossip_leak.hpp"

#include <fmt/format.h>

#include "earshot/attack/gossip/gossip_attack.hpp"
#include "earshot/attack/leak/public_facts.hpp"

namespace earshot {
namespace {

void require_plain_descent(const View& view) {
  const PublicKnowledge& told = view.told();
  if (told.gossip_matrix == nullptr)
    fail(Fault::kConfig, "gradients are recovered from gossip only where the weights are fixed and known");
  const bool plain = fact<std::size_t>(told, "local_steps", 1) == 1 &&
                     fact<std::size_t>(told, "gossip_steps", 1) == 1 &&
                     !fact<bool>(told, "accelerated", false);
  const bool after_own_step = fact<std::string>(told, "sent", "the state after the node's own step") ==
                              "the state after the node's own step";
  if (!plain || !after_own_step)
    fail(Fault::kConfig,
         "gradients are recovered from one local step and one averaging a round, sent after the step: use "
         "protocol \"dgd\" with gossip_steps 1 and local_steps 1");
  if (!view.messages().empty() && view.messages().front().round != 0)
    fail(Fault::kConfig,
         "gradients are recovered from a recording that starts with the first round: set "
         "adversary.from to 1");
}

}  // namespace

std::vector<Leak> gossip_leaks(const View& view, std::size_t parameters, const GossipLeakOptions& options) {
  require_plain_descent(view);
  if (view.messages().empty()) return {};
  const PublicKnowledge& told = view.told();
  if (heard_nodes(told.gossip_matrix->graph(), view.adversary()).empty()) return {};
  const Exposure exposure = analyse_exposure(*told.gossip_matrix, view.adversary(), {view.rounds()});
  const LinearReconstruction found = reconstruct_gradients(view, exposure, options.estimator, options.cut);
  std::vector<Leak> leaks;
  for (std::size_t i = 0; i < found.targets.size(); ++i) {
    const NodeId victim = found.targets[i];
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
  return leaks;
}

}  // namespace earshot
