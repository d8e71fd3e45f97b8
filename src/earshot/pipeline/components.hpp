// All components in one catalogue, and the way from a name to the thing.
#pragma once

#include <string_view>

#include "earshot/data/images/image_datasets.hpp"
#include "earshot/experiment/component_catalogue.hpp"
#include "earshot/graph/gossip_matrix.hpp"
#include "earshot/graph/topologies.hpp"
#include "earshot/mechanism/components.hpp"
#include "earshot/model/components.hpp"
#include "earshot/threat/adversary.hpp"

namespace earshot {

Catalogue standard_catalogue();
/// The same as far as it is not about training.
Catalogue catalogue_without_training();

const GraphComponent& graph_component(std::string_view name);
const WeightsComponent& weights_component(std::string_view name);
const DatasetComponent& dataset_component(std::string_view name);
const ModelComponent& model_component(std::string_view name);
const MechanismComponent& mechanism_component(std::string_view name);
const AdversaryComponent& adversary_component(std::string_view name);

}  // namespace earshot
