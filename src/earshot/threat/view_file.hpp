// Views as bytes: what adversaries heard and were told, for attacks that run later or elsewhere.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "earshot/threat/view.hpp"

namespace earshot {

/// Views read back, and all they refer to.
struct StoredViews {
  std::unique_ptr<Graph> network;  // the participants by name, and who could talk to whom
  std::unique_ptr<GossipMatrix> gossip_matrix;
  std::unique_ptr<Recorder> recorder;

  std::span<const View> views() const { return recorder->views(); }
};

/// In the format of core/state.hpp. `network` names the participants; read back it is what was told of it.
std::string views_to_bytes(const Graph& network, const Recorder& recorder);
/// Refuses damaged bytes with Fault::kData and the name of their origin.
StoredViews views_from_bytes(std::string_view bytes, const std::string& origin);

}  // namespace earshot
