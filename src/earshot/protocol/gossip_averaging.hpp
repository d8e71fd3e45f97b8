// Gossip averaging: every node repeatedly replaces its value by a weighted mean of its neighbourhood.
#pragma once

#include <vector>

#include "earshot/graph/gossip_matrix.hpp"
#include "earshot/network/participant.hpp"

namespace earshot {

/// theta^{t+1} = omega_t W theta^t + (1 - omega_t) theta^{t-1}; plain gossip (El Mrini et al. 2024, eq. 1)
/// has omega_t = 1. In round t the node sends theta^t.
class GossipAveraging : public Participant {
 public:
  /// `mixing` holds omega_t for t = 0, 1, ...; rounds beyond its end (all, when empty) are plain.
  GossipAveraging(const GossipMatrix& matrix, NodeId node, std::vector<double> value,
                  std::vector<double> mixing = {});
  /// The node's value is `value`, and both spans are the node's to write to: in a large network, parts of two
  /// NodeVectors.
  GossipAveraging(const GossipMatrix& matrix, NodeId node, std::span<double> value, std::span<double> other);
  GossipAveraging(const GossipAveraging&) = delete;
  GossipAveraging& operator=(const GossipAveraging&) = delete;

  Hearing hearing() const override { return Hearing::kInPieces; }
  void speak(Round round, Outbox& out) override;
  void listen(Round round, const Inbox& in) override;
  void finish(Round round) override;
  void save(StateWriter& out) const override;
  void load(StateReader& in) override;
  std::span<const double> value() const { return current_; }

 private:
  const GossipMatrix& matrix_;
  NodeId node_;
  std::vector<double> owned_;  // both buffers, where they are not somebody else's
  std::span<double> current_;
  std::span<double> other_;  // the value of the round before, replaced by the next one
  std::vector<double> mixing_;
};

/// The Chebyshev semi-iterative weights for spectral radius `lambda` on the disagreement space: omega_0 = 1,
/// omega_1 = 2 / (2 - lambda^2), omega_{t+1} = 4 / (4 - lambda^2 omega_t) (Golub & Varga 1961).
std::vector<double> chebyshev_mixing(double lambda, std::size_t rounds);

/// What a node weighs itself and its neighbours with, in their order: its row of W.
struct MixingRow {
  double self = 1;
  std::span<const double> others;
};

/// A node's value before, now and next; `previous` is read only when omega is not 1, and may be `next`, which
/// then replaces it.
struct MixingBuffers {
  std::span<const double> previous;
  std::span<const double> current;
  std::span<double> next;
};

/// next = omega W current + (1 - omega) previous on the stretch of the pieces heard; the one place where
/// nodes average: own value first, then neighbours in order. A silent neighbour's share stays with the node
/// itself, which keeps rows summing to one.
void mix_neighbourhood(const MixingRow& row, double omega, const Inbox& in, const MixingBuffers& buffers);

}  // namespace earshot
