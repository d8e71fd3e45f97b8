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
  mix_neighbourhood({matrix_.self_weight(node_), matrix_.weights(node_)},
                    round < mixing_.size() ? mixing_[round] : 1.0, in, {previous_, current_, next_});
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

void mix_neighbourhood(const MixingRow& row, double omega, const Inbox& in, const MixingBuffers& buffers) {
  const auto own = in.stretch_of(buffers.current);
  const auto out = in.stretch_of(buffers.next);
  double self = row.self;
  for (std::size_t j = 0; j < in.size(); ++j) {
    if (in.from(j).empty()) self += row.others[j];
  }
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = self * own[i];
  for (std::size_t j = 0; j < in.size(); ++j) {
    const auto heard = in.from(j);
    for (std::size_t i = 0; i < heard.size(); ++i) out[i] += row.others[j] * heard[i];
  }
  if (omega == 1.0) return;
  const auto previous = in.stretch_of(buffers.previous);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = omega * out[i] + (1 - omega) * previous[i];
}

}  // namespace earshot
