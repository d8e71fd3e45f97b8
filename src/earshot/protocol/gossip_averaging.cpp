#include "earshot/protocol/gossip_averaging.hpp"

#include <algorithm>
#include <utility>

#include "earshot/core/error.hpp"

namespace earshot {

GossipAveraging::GossipAveraging(const GossipMatrix& matrix, NodeId node, std::vector<double> value,
                                 std::vector<double> mixing)
    : matrix_(matrix), node_(node), owned_(std::move(value)), mixing_(std::move(mixing)) {
  const std::size_t size = owned_.size();
  owned_.resize(2 * size);
  current_ = std::span(owned_).first(size);
  other_ = std::span(owned_).last(size);
  std::ranges::copy(current_, other_.begin());
}

GossipAveraging::GossipAveraging(const GossipMatrix& matrix, NodeId node, std::span<double> value,
                                 std::span<double> other)
    : matrix_(matrix), node_(node), current_(value), other_(other) {}

void GossipAveraging::speak(Round, Outbox& out) {
  out.broadcast(current_);
}

void GossipAveraging::listen(Round round, const Inbox& in) {
  mix_neighbourhood({matrix_.self_weight(node_), matrix_.weights(node_)},
                    round < mixing_.size() ? mixing_[round] : 1.0, in, {other_, current_, other_});
}

void GossipAveraging::finish(Round) {
  std::swap(current_, other_);
}

void GossipAveraging::save(StateWriter& out) const {
  out.reals(current_);
  out.reals(other_);
}

void GossipAveraging::load(StateReader& in) {
  in.reals(current_);
  in.reals(other_);
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

namespace {

/// Two numbers at any address, in one register of every machine we know.
using Two = double __attribute__((vector_size(16), aligned(8), may_alias));

/// What is mixed, with everything that does not depend on the coordinate settled.
struct Mixing {
  double self;
  std::span<const double> weights;  // of those heard
  std::span<const double* const> heard;
  const double* own;
  double omega;
  const double* previous;
  double* next;
};

/// Sixteen coordinates at once: each neighbour's are read once, and the sums stay in eight registers.
constexpr std::size_t kBlock = 16;
template <std::size_t... k>
void mix_block(const Mixing& m, std::size_t at, std::index_sequence<k...>) {
  const auto two = [at](const double* values) { return reinterpret_cast<const Two*>(values + at); };
  Two sum[] = {m.self * two(m.own)[k]...};
  for (std::size_t j = 0; j < m.heard.size(); ++j) {
    const double weight = m.weights[j];
    const Two* heard = two(m.heard[j]);
    ((sum[k] += weight * heard[k]), ...);
  }
  if (m.omega != 1.0) {
    const double rest = 1 - m.omega;
    const Two* previous = two(m.previous);
    ((sum[k] = m.omega * sum[k] + rest * previous[k]), ...);
  }
  auto* next = reinterpret_cast<Two*>(m.next + at);
  ((next[k] = sum[k]), ...);
}

void mix_one(const Mixing& m, std::size_t at) {
  double sum = m.self * m.own[at];
  for (std::size_t j = 0; j < m.heard.size(); ++j) sum += m.weights[j] * m.heard[j][at];
  if (m.omega != 1.0) sum = m.omega * sum + (1 - m.omega) * m.previous[at];
  m.next[at] = sum;
}

}  // namespace

void mix_neighbourhood(const MixingRow& row, double omega, const Inbox& in, const MixingBuffers& buffers) {
  const auto own = in.stretch_of(buffers.current);
  const auto out = in.stretch_of(buffers.next);
  thread_local std::vector<const double*> heard;
  thread_local std::vector<double> weights;
  heard.clear();
  weights.clear();
  double self = row.self;
  for (std::size_t j = 0; j < in.size(); ++j) {
    const auto message = in.from(j);
    if (message.empty()) {
      self += row.others[j];
      continue;
    }
    if (message.size() != out.size()) fail(Fault::kInternal, "neighbours average vectors of different sizes");
    heard.push_back(message.data());
    weights.push_back(row.others[j]);
  }
  const double* previous = omega == 1.0 ? nullptr : in.stretch_of(buffers.previous).data();
  const Mixing mixing{self, weights, heard, own.data(), omega, previous, out.data()};
  std::size_t at = 0;
  for (; at + kBlock <= out.size(); at += kBlock)
    mix_block(mixing, at, std::make_index_sequence<kBlock / 2>());
  for (; at < out.size(); ++at) mix_one(mixing, at);
}

}  // namespace earshot
