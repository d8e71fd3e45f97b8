#include "earshot/pipeline/components.hpp"

#include <algorithm>

#include "earshot/attack/gossip/gossip_attack.hpp"
#include "earshot/collect/components.hpp"
#include "earshot/core/error.hpp"
#include "earshot/metric/metrics.hpp"
#include "earshot/protocol/components.hpp"

namespace earshot {
namespace {

template <class Component>
const Component& by_name(std::span<const Component> components, std::string_view name) {
  const auto found = std::find_if(components.begin(), components.end(),
                                  [&](const Component& c) { return c.schema.name == name; });
  if (found == components.end()) fail(Fault::kInternal, "no component named " + std::string(name));
  return *found;
}

template <class Component>
void add_all(Catalogue& catalogue, std::span<const Component> components) {
  for (const Component& component : components) catalogue.add(component.schema);
}

void add_all(Catalogue& catalogue, std::span<const Schema> schemas) {
  for (const Schema& schema : schemas) catalogue.add(schema);
}

}  // namespace

Catalogue standard_catalogue() {
  Catalogue catalogue;
  add_all(catalogue, graph_components());
  add_all(catalogue, weights_components());
  add_all(catalogue, dataset_components());
  add_all(catalogue, model_components());
  add_all(catalogue, protocol_schemas());
  add_all(catalogue, mechanism_components());
  add_all(catalogue, adversary_components());
  add_all(catalogue, attack_schemas());
  add_all(catalogue, metric_schemas());
  add_all(catalogue, collect_schemas());
  return catalogue;
}

const GraphComponent& graph_component(std::string_view name) {
  return by_name(graph_components(), name);
}
const WeightsComponent& weights_component(std::string_view name) {
  return by_name(weights_components(), name);
}
const DatasetComponent& dataset_component(std::string_view name) {
  return by_name(dataset_components(), name);
}
const ModelComponent& model_component(std::string_view name) {
  return by_name(model_components(), name);
}
const MechanismComponent& mechanism_component(std::string_view name) {
  return by_name(mechanism_components(), name);
}
const AdversaryComponent& adversary_component(std::string_view name) {
  return by_name(adversary_components(), name);
}

}  // namespace earshot
