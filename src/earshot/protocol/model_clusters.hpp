// The server of federated averaging: one model, or one per cluster of clients.
#pragma once

#include <functional>
#include <vector>

#include "earshot/protocol/federated.hpp"
#include "earshot/training/optimiser.hpp"

namespace earshot {

/// theta_j <- theta_j + rate u_j, u_j <- momentum u_j + (mean of cluster j's replies - theta_j). A cluster
/// that nobody trained keeps its model, and its momentum.
class ModelClusters : public ServerWork {
 public:
  /// Which model a trained state belongs to, of those in `models`; for servers that are not told.
  using Choice = std::function<std::size_t(std::span<const double> models, std::span<const double> reply)>;

  /// `models` holds `clusters` states one after the other. Without a `choice` and with several clusters the
  /// last number of a reply is its cluster.
  ModelClusters(std::vector<double> models, std::size_t clusters, std::size_t parameters,
                const SgdOptions& options, Choice choice);

  std::span<const double> request() const override { return models_; }
  std::size_t reply_size() const override { return size_ + (told() ? 1 : 0); }
  bool add(std::span<const double> reply, double weight) override;
  void apply() override;
  /// The model of the cluster that weighed most in the last round.
  void result(std::span<double> state) const override;
  Json facts() const override;
  void save(StateWriter& out) const override;
  void load(StateReader& in) override;

 private:
  bool told() const { return clusters_ > 1 && !choice_; }
  void apply_to(std::size_t cluster);

  std::vector<double> models_;
  std::size_t clusters_;
  std::size_t size_;
  std::size_t parameters_;
  Choice choice_;
  std::vector<double> sums_;
  std::vector<double> weights_;       // of the round that is going on
  std::vector<double> last_weights_;  // of the last round
  std::vector<Sgd> optimisers_;
};

/// The model at the least Euclidean distance: one assignment of k-means that starts at the models.
std::size_t nearest_model(std::span<const double> models, std::span<const double> reply);

}  // namespace earshot
