// How a node protects what it computes from its records before anybody else sees it.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "earshot/accounting/ledger.hpp"
#include "earshot/mechanism/mechanism.hpp"
#include "earshot/training/batches.hpp"

namespace earshot {

/// What is clipped and gets noise.
enum class ProtectedScope {
  kNothing,  // by choice, and said so
  kExample,  // every example's gradient is clipped; their sum gets noise (DP-SGD, Abadi et al. 2016)
  kBatch,    // the average gradient of a step is clipped as one vector
  kUpdate    // the change of a whole round is clipped as one vector (McMahan et al. 2018)
};

struct Protection {
  ProtectedScope scope = ProtectedScope::kNothing;
  Norm norm = Norm::kL2;  // kExample: of the clipping
  double clip = 0;        // kExample: of each example's gradient
  /// Adds the noise; in the other scopes it clips as well. Its release is about one step, sampling aside.
  std::shared_ptr<const VectorMechanism> mechanism;
  double delta = 1e-5;  // at which statements are made
  std::string accountant = "rdp";
  std::optional<double> budget{};  // epsilon at which a node stops
};

Protection no_protection();
/// A step or a round clips one vector and adds Gaussian noise to it, which is what theorems on topologies are
/// about.
bool releases_one_gaussian_vector(const Protection& protection);

struct PrivacyOptions {
  double clip = 1;
  double noise = 1;  // noise multiplier: standard deviation / clip
  double delta = 1e-5;
  BatchDraw draw = BatchDraw::kPoisson;
  std::string accountant = "rdp";
  std::optional<double> budget{};  // epsilon at which training stops
};
/// Per-example L2 clipping and Gaussian noise on the sum; the unit is a record.
Protection dp_sgd(const PrivacyOptions& options);

}  // namespace earshot
