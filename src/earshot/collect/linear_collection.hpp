// Collecting with linear encoders for a linear task: the closed form and what it is compared with.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <optional>

#include "earshot/collect/adaptive_training.hpp"
#include "earshot/collect/linear_encoder.hpp"

namespace earshot {

enum class LinearMethod {
  kAdaptive,       // closed form, radius chosen on the training records
  kAdaptiveBall,   // closed form as published, for the ball that holds all training records
  kTaskUnaware,    // the record itself
  kPrivacyUnaware  // the first principal axes of the task, equal weights
};

struct LinearOptions {
  NoiseRule noise;
  std::optional<DomainRule> domain;
  std::size_t latent = 3;  // of kPrivacyUnaware
};

/// The encoder (and domain) is fixed on the training records. The scale of the noise is public, so the
/// decoder, fitted to the training records, is the one for the noise that `released` needs.
Collector make_linear_collector(LinearMethod method, const Eigen::MatrixXd& task,
                                const Eigen::MatrixXd& training, const Eigen::MatrixXd& released,
                                const LinearOptions& options);

}  // namespace earshot
