// One node that learns by averaging its state with its neighbours'.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "earshot/network/participant.hpp"
#include "earshot/protocol/latency.hpp"
#include "earshot/protocol/mixing_topology.hpp"
#include "earshot/training/learner.hpp"

namespace earshot {

/// When a node moves by its own gradient.
enum class AveragingOrder {
  kAdaptThenCombine,  // theta^{t+1} = W (theta^t - eta g(theta^t)): D-GD (Nedic & Ozdaglar 2009; El Mrini et
                      // al. 2024, Algorithm 2), Muffliato (Cyffers et al. 2022). theta^t - eta g is sent.
  kCombineThenAdapt   // theta^{t+1} = W theta^t - eta g(theta^t): D-PSGD (Lian et al. 2017). theta^t is sent.
};

struct DecentralisedOptions {
  AveragingOrder order = AveragingOrder::kAdaptThenCombine;
  double learning_rate = 0.1;
  std::size_t local_steps = 1;  // gradient steps in a round of training
  Round gossip_steps = 1;       // exchanges in a round of training: W becomes a product of so many matrices
  std::vector<double> mixing;   // Chebyshev's omega by gossip step; empty: plain gossip
};

/// Memory for as many nodes as compute at once, rather than for all.
class VectorPool {
 public:
  explicit VectorPool(std::size_t size) : size_(size) {}

  class Loan {
   public:
    explicit Loan(VectorPool& pool);
    ~Loan();
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    std::span<double> values() { return values_; }

   private:
    VectorPool& pool_;
    std::vector<double> values_;
  };

 private:
  std::size_t size_;
  std::mutex lock_;
  std::vector<std::vector<double>> idle_;
};

class DecentralisedNode : public Participant {
 public:
  /// What all nodes share; must outlive them.
  struct Common {
    const DecentralisedOptions& options;
    const MixingTopology& topology;
    const LatencyClock& clock;
    VectorPool& scratch;
  };
  /// Stretches of size task.state_size() in memory that outlives the node. `previous` may be empty unless
  /// gossip is accelerated, `step` unless nodes combine before they adapt.
  struct Memory {
    std::span<double> current;  // holds the common start
    std::span<double> next;
    std::span<double> previous;
    std::span<double> step;
  };
  DecentralisedNode(const Common& common, NodeId node, std::unique_ptr<Learner> learner,
                    const Memory& memory);

  Hearing hearing() const override { return Hearing::kInPieces; }
  void speak(Round round, Outbox& out) override;
  void listen(Round round, const Inbox& in) override;
  void finish(Round round) override;
  void save(StateWriter& out) const override;
  void load(StateReader& in) override;

  Learner& learner() { return *learner_; }
  const Learner& learner() const { return *learner_; }
  std::span<const double> state() const { return memory_.current; }
  /// Rounds of training this node has finished.
  Round rounds() const { return rounds_; }

 private:
  void adapt(Round training_round);
  void descend(std::span<double> state);
  bool take_steps(std::span<double> state);

  Common common_;
  NodeId node_;
  std::unique_ptr<Learner> learner_;
  Memory memory_;
  Round rounds_ = 0;
};

}  // namespace earshot
