#include "earshot/network/participant.hpp"

#include <algorithm>

namespace earshot {

void Outbox::send(std::size_t neighbour, std::span<const double> message) {
  if (singles_.empty()) singles_.resize(neighbours_.size());
  singles_[neighbour] = message;
}

std::span<double> Outbox::compose(std::size_t size) {
  if (used_ == composed_.size()) composed_.emplace_back();
  std::vector<double>& buffer = composed_[used_++];
  buffer.resize(size);
  return buffer;
}

void Outbox::start(std::span<const NodeId> neighbours) {
  neighbours_ = neighbours;
  everyone_ = {};
  singles_.clear();
  used_ = 0;
}

void Outbox::round_to_single() {
  const auto narrow = [this](std::span<const double>& message) {
    if (message.empty()) return;
    const auto composed =
        std::ranges::find(composed_, message.data(), [](auto& buffer) { return buffer.data(); });
    const std::span<double> narrowed =
        composed != composed_.end() ? std::span(*composed).first(message.size()) : compose(message.size());
    std::ranges::transform(message, narrowed.begin(),
                           [](double value) { return static_cast<double>(static_cast<float>(value)); });
    message = narrowed;
  };
  narrow(everyone_);
  for (std::span<const double>& message : singles_) narrow(message);
}

void Outbox::lend(Buffers& spare) {
  if (spare.empty() || !composed_.empty()) return;
  composed_.push_back(std::move(spare.back()));
  spare.pop_back();
}

void Outbox::withdraw(Buffers& spare) {
  std::ranges::move(composed_, std::back_inserter(spare));
  composed_.clear();
  start(neighbours_);
}

}  // namespace earshot
