// Training in one place, without a network: what learning together is compared with.
#pragma once

#include "earshot/protocol/protocol.hpp"

namespace earshot {

/// "central": one learner holds all shards; a round of training is one step, or one pass over the data.
const ProtocolComponent& central_component();

}  // namespace earshot
