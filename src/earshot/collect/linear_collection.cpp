#include "earshot/collect/linear_collection.hpp"

#include <fmt/format.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

DenseNet principal_encoder(const WhitenedTask& task, const VectorXd& weights) {
  const MatrixXd matrix = weights.asDiagonal() * task.to_principal.topRows(weights.size());
  return {matrix, -(matrix * task.mean)};
}

DenseNet allocated_encoder(const WhitenedTask& task, const Allocation& allocation) {
  return principal_encoder(task, allocation.weights.head(static_cast<Index>(allocation.latent)));
}

std::optional<DenseNet> make_encoder(LinearMethod method, const MatrixXd& task, const MatrixXd& training,
                                     const LinearOptions& options) {
  if (method == LinearMethod::kTaskUnaware) return std::nullopt;
  const WhitenedTask whitened = whiten(training, task);
  if (method == LinearMethod::kAdaptive) {
    return allocated_encoder(
        whitened, allocate_on_records(whitened, training, options.noise, options.domain).allocation);
  }
  if (method == LinearMethod::kAdaptiveBall)
    return allocated_encoder(whitened,
                             allocate(whitened.eigenvalues, ball_noise(whitened.radius, options.noise)));
  const auto latent = static_cast<Index>(options.latent);
  if (latent < 1 || latent > whitened.eigenvalues.size())
    fail(Fault::kConfig, fmt::format("the latent dimension must be between 1 and {}, the directions in which "
                                     "the records vary",
                                     whitened.eigenvalues.size()));
  return principal_encoder(whitened, VectorXd::Ones(latent));
}

}  // namespace

Collector make_linear_collector(LinearMethod method, const MatrixXd& task, const MatrixXd& training,
                                const MatrixXd& released, const LinearOptions& options) {
  const Index attributes = training.rows();
  Collector collector{make_encoder(method, task, training, options),
                      DenseNet(MatrixXd::Zero(attributes, 1), VectorXd::Zero(attributes)),
                      std::nullopt,
                      0,
                      {}};
  collector.domain = fix_domain(options.domain, collector.encode(training));
  collector.sensitivity = release_sensitivity(collector, released);
  const AffineDecoder decoder = fit_decoder(training, collector.encode(training),
                                            laplace_variance(collector.sensitivity, options.noise));
  collector.decoder = DenseNet(decoder.matrix, decoder.offset);
  return collector;
}

}  // namespace earshot
