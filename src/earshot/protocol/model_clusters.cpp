#include "earshot/protocol/model_clusters.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace earshot {

ModelClusters::ModelClusters(std::vector<double> models, std::size_t clusters, std::size_t parameters,
                             const SgdOptions& options, Choice choice)
    : models_(std::move(models)),
      clusters_(clusters),
      size_(models_.size() / clusters),
      parameters_(parameters),
      choice_(std::move(choice)),
      sums_(models_.size()),
      weights_(clusters),
      last_weights_(clusters),
      optimisers_(clusters, Sgd(parameters, options)) {}

bool ModelClusters::add(std::span<const double> reply, double weight) {
  const std::span<const double> state = reply.first(size_);
  std::size_t cluster = 0;
  if (told()) {
    const double named = reply.back();
    if (!(named >= 0 && named < static_cast<double>(clusters_))) return false;
    cluster = static_cast<std::size_t>(named);
  } else if (clusters_ > 1) {
    cluster = choice_(models_, state);
  }
  double* sum = sums_.data() + cluster * size_;
  for (std::size_t i = 0; i < size_; ++i) sum[i] += weight * state[i];
  weights_[cluster] += weight;
  return true;
}

void ModelClusters::apply() {
  for (std::size_t cluster = 0; cluster < clusters_; ++cluster) {
    if (weights_[cluster] > 0) apply_to(cluster);
  }
  std::ranges::fill(sums_, 0.0);
  last_weights_ = weights_;
  std::ranges::fill(weights_, 0.0);
}

/// The mean change is the step of an optimiser against model - mean; statistics of batch norm are averaged.
void ModelClusters::apply_to(std::size_t cluster) {
  const std::span<double> model = std::span(models_).subspan(cluster * size_, size_);
  const std::span<double> sum = std::span(sums_).subspan(cluster * size_, size_);
  for (double& value : sum) value /= weights_[cluster];
  std::copy(sum.begin() + static_cast<std::ptrdiff_t>(parameters_), sum.end(),
            model.begin() + static_cast<std::ptrdiff_t>(parameters_));
  for (std::size_t i = 0; i < parameters_; ++i) sum[i] = model[i] - sum[i];
  optimisers_[cluster].step(model.first(parameters_), sum.first(parameters_));
}

void ModelClusters::result(std::span<double> state) const {
  const auto largest =
      static_cast<std::size_t>(std::ranges::max_element(last_weights_) - last_weights_.begin());
  std::ranges::copy(std::span(models_).subspan(largest * size_, size_), state.begin());
}

Json ModelClusters::facts() const {
  Json facts = Json::object();
  if (clusters_ > 1) facts["cluster_weights"] = last_weights_;
  return facts;
}

void ModelClusters::save(StateWriter& out) const {
  out.reals(models_);
  out.reals(last_weights_);
  for (const Sgd& optimiser : optimisers_) optimiser.save(out);
}

void ModelClusters::load(StateReader& in) {
  in.reals(models_);
  in.reals(last_weights_);
  for (Sgd& optimiser : optimisers_) optimiser.load(in);
}

std::size_t nearest_model(std::span<const double> models, std::span<const double> reply) {
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t j = 0; j < models.size() / reply.size(); ++j) {
    double square = 0;
    for (std::size_t i = 0; i < reply.size(); ++i) {
      square += std::pow(models[j * reply.size() + i] - reply[i], 2);
    }
    if (square < least) {
      least = square;
      best = j;
    }
  }
  return best;
}

}  // namespace earshot
