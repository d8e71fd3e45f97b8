#include "earshot/pipeline/components.hpp"

#include <algorithm>

#include "earshot/attack/gossip/gossip_attack.hpp"
#include "earshot/collect/components.hpp"
#include "earshot/collect/privic/components.hpp"
#include "earshot/core/error.hpp"
#include "earshot/metric/metrics.hpp"
#include "earshot/pipeline/theory_trial.hpp"
#include "earshot/pipeline/training_sections.hpp"
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
void add_all(std::vector<Schema>& schemas, std::span<const Component> components) {
  for (const Component& component : components) schemas.push_back(component.schema);
}

void add_all(std::vector<Schema>& schemas, std::span<const Schema> more) {
  schemas.insert(schemas.end(), more.begin(), more.end());
}

std::vector<Schema> schemas_without_training() {
  std::vector<Schema> schemas;
  add_all(schemas, graph_components());
  add_all(schemas, weights_components());
  add_all(schemas, dataset_components());
  add_all(schemas, model_components());
  add_all(schemas, protocol_schemas());
  add_all(schemas, mechanism_components());
  add_all(schemas, adversary_components());
  add_all(schemas, attack_schemas());
  add_all(schemas, metric_schemas());
  add_all(schemas, collect_schemas());
  add_all(schemas, place_schemas());
  schemas.push_back(theory_schema());
  return schemas;
}

Catalogue catalogue_of(std::vector<Schema> schemas) {
  Catalogue catalogue;
  for (Schema& schema : schemas) catalogue.add(std::move(schema));
  return catalogue;
}

}  // namespace

Catalogue standard_catalogue() {
  std::vector<Schema> schemas = schemas_without_training();
  add_training_schemas(schemas);
  return catalogue_of(std::move(schemas));
}

Catalogue catalogue_without_training() {
  return catalogue_of(schemas_without_training());
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
