#include <cmath>

#include <gtest/gtest.h>

#include "earshot/network/faults.hpp"
#include "earshot/protocol/primal_dual.hpp"
#include "earshot/protocol/primal_dual_test_setting.hpp"

namespace earshot {
namespace {

/// Distance of the nodes from the centralised optimum after training under these faults.
double error_under(const FaultOptions& faults, const ProtocolComponent& component, Json settings) {
  const Graph graph = testing::complete(5);
  const GossipMatrix matrix = metropolis_weights(graph);
  const testing::SmallTask small(5, 10, 1, testing::logistic());
  settings["rounds"] = 1;
  const auto protocol =
      component.make(testing::settings_of(component, settings), small.parts(no_protection(), &matrix));
  LocalNetwork network(protocol->topology(), protocol->participants());
  network.suffer(faults, 1, 0);
  network.run(800 * protocol->exchanges());
  Eigen::Vector3d state;
  protocol->result({state.data(), 3});
  return std::hypot((state - testing::centralised_optimum(small)).norm(), protocol->disagreement().value());
}

std::vector<FaultOptions> kinds_of_faults() {
  std::vector<FaultOptions> all(5);
  all[0].loss = 0.3;
  all[1].delay = 1;
  all[2].delay = 1;
  all[2].reorder = false;
  all[3].straggler = 0.3;
  all[4].crash = 0.05;
  all[4].comeback = 0.3;
  return all;
}

TEST(PrimalDualFaults, PlainMessagesReachTheOptimumThroughAllOfThem) {
  for (const FaultOptions& faults : kinds_of_faults()) {
    for (const auto* component : {&pdmm_component(), &admm_component(), &server_pdmm_component()}) {
      EXPECT_LT(error_under(faults, *component, {{"update", "exact"}}), 1e-6)
          << component->schema.name << " loss " << faults.loss << " delay " << faults.delay;
    }
  }
}

/// As the documentation warns: what a difference said is not said again, and of late ones that are due
/// together only one is heard.
TEST(PrimalDualFaults, DifferencesNeedANetworkWithoutFaults) {
  const Json settings{{"update", "exact"}, {"messages", "differential"}};
  EXPECT_LT(error_under({}, pdmm_component(), settings), 1e-6);
  for (const FaultOptions& faults : kinds_of_faults()) {
    EXPECT_GT(error_under(faults, pdmm_component(), settings), 1e-2);
  }
}

}  // namespace
}  // namespace earshot
