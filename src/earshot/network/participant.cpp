#include "earshot/network/participant.hpp"

namespace earshot {
namespace {
void round_all(std::vector<double>& values) {
  for (double& value : values) value = static_cast<double>(static_cast<float>(value));
}
}  // namespace

void Outbox::broadcast(std::span<const double> message) {
  everyone_.assign(message.begin(), message.end());
  has_broadcast_ = true;
}

void Outbox::send(std::size_t neighbour, std::span<const double> message) {
  singles_[neighbour].assign(message.begin(), message.end());
}

void Outbox::clear() {
  has_broadcast_ = false;
  everyone_.clear();  // keeps its memory: the next round allocates nothing
  for (auto& single : singles_) single.clear();
}

std::span<const double> Outbox::message_for(std::size_t neighbour) const {
  if (!singles_[neighbour].empty()) return singles_[neighbour];
  return everyone_;
}

void Outbox::round_to_single() {
  round_all(everyone_);
  for (auto& single : singles_) round_all(single);
}

}  // namespace earshot
