#include "earshot/protocol/protocol.hpp"

#include <algorithm>
#include <iterator>

#include "earshot/protocol/central.hpp"
#include "earshot/protocol/decentralised.hpp"
#include "earshot/protocol/federated_averaging.hpp"
#include "earshot/protocol/federated_scaffold.hpp"
#include "earshot/protocol/federated_sgd.hpp"
#include "earshot/protocol/muffliato.hpp"
#include "earshot/protocol/primal_dual.hpp"
#include "earshot/protocol/skip_ring.hpp"

namespace earshot {

std::span<const ProtocolComponent> training_protocols() {
  static const std::vector<ProtocolComponent> all = [] {
    std::vector<ProtocolComponent> components = {central_component()};
    components.insert(components.end(),
                      {fedsgd_component(), fedavg_component(), fedprox_component(), scaffold_component()});
    components.insert(components.end(), {dgd_component(), d_psgd_component(), muffliato_component(),
                                         muffliato_random_component()});
    components.insert(components.end(), {pdmm_component(), admm_component(), server_pdmm_component()});
    components.push_back(skip_ring_component());
    return components;
  }();
  return all;
}

const ProtocolComponent* find_training_protocol(std::string_view name) {
  const auto all = training_protocols();
  const auto found = std::ranges::find_if(all, [&](const auto& c) { return c.schema.name == name; });
  return found == all.end() ? nullptr : &*found;
}

std::vector<Parameter> with_common_parameters(std::vector<Parameter> more) {
  std::vector<Parameter> all = {
      integer_parameter("rounds", {}, 1, 1'000'000'000, "rounds of training"),
      integer_parameter("batch", 0, 0, 1'000'000'000, "records of one step; 0 or more than there are: all"),
      choice_parameter("draw", "shuffled", {"shuffled", "fixed", "poisson"},
                       "batches dealt from one shuffle per pass, of fixed size drawn anew in every step, or "
                       "every record by chance")};
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  return all;
}

BatchOptions batch_options(const Settings& settings) {
  const std::string draw = settings.text("draw");
  BatchOptions options;
  options.size = settings.size("batch");
  options.draw = draw == "fixed"     ? BatchDraw::kFixedSize
                 : draw == "poisson" ? BatchDraw::kPoisson
                                     : BatchDraw::kShuffled;
  return options;
}

}  // namespace earshot
