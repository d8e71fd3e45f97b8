#include "earshot/protocol/gossip_averaging.hpp"

#include "earshot/core/error.hpp"

namespace earshot {

GossipAveraging::GossipAveraging(const GossipMatrix& matrix, NodeId node, std::vector<double> value,
                                 std::vector<double> mixing)
    : matrix_(matrix),
      node_(node),
      current_(std::move(value)),
      previous_(current_),
      next_(current_.size()),
      mixing_(std::move(mixing)) {}

void GossipAveraging::speak(Round, Outbox& out) {
  out.broadcast(current_);
}

void GossipAveraging::listen(Round round, const Inbox& in) {
  const std::span<double> out = in.stretch_of(std::span(next_));
  average_neighbourhood(matrix_, node_, in.stretch_of(std::span<const double>(current_)), in, out);
  const double omega = round < mixing_.size() ? mixing_[round] : 1.0;
  if (omega == 1.0) return;
  const auto previous = in.stretch_of(std::span<const double>(previous_));
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = omega * out[i] + (1 - omega) * previous[i];
}

void GossipAveraging::finish(Round) {
  previous_.swap(current_);
  current_.swap(next_);
}

void GossipAveraging::save(StateWriter& out) const {
  out.reals(current_);
  out.reals(previous_);
}

void GossipAveraging::load(StateReader& in) {
  in.reals(current_);
  in.reals(previous_);
}

std::vector<double> chebyshev_mixing(double lambda, std::size_t rounds) {
  if (!(lambda >= 0 && lambda < 1))
    fail(Fault::kConfig, "Chebyshev gossip needs a matrix that mixes (lambda_2 < 1)");
  std::vector<double> omega(rounds, 1.0);
  for (std::size_t t = 1; t < rounds; ++t) {
    omega[t] = t == 1 ? 2 / (2 - lambda * lambda) : 4 / (4 - lambda * lambda * omega[t - 1]);
  }
  return omega;
}

void average_neighbourhood(const GossipMatrix& matrix, NodeId node, std::span<const double> own,
                           const Inbox& in, std::span<double> out) {
  const auto weights = matrix.weights(node);
  double self = matrix.self_weight(node);
  for (std::size_t j = 0; j < in.size(); ++j) {
    if (in.from(j).empty()) self += weights[j];
  }
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = self * own[i];
  for (std::size_t j = 0; j < in.size(); ++j) {
    const auto heard = in.from(j);
    for (std::size_t i = 0; i < heard.size(); ++i) out[i] += weights[j] * heard[i];
  }
}

}  // namespace earshot
