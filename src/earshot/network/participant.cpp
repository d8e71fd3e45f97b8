#include "earshot/network/participant.hpp"

#include <algorithm>

namespace earshot {

void Outbox::start(std::span<const NodeId> neighbours) {
  neighbours_ = neighbours;
  everyone_ = {};
  singles_.assign(neighbours.size(), {});
}

void Outbox::round_to_single() {
  rounded_.resize(singles_.size() + 1);
  const auto narrow = [](std::span<const double>& message, std::vector<double>& kept) {
    kept.resize(message.size());
    std::ranges::transform(message, kept.begin(),
                           [](double value) { return static_cast<double>(static_cast<float>(value)); });
    message = kept;
  };
  narrow(everyone_, rounded_.back());
  for (std::size_t i = 0; i < singles_.size(); ++i) narrow(singles_[i], rounded_[i]);
}

}  // namespace earshot
