// Task-adaptive local privacy by gradient descent: encoder and decoder trained through the noise, for a fixed
// task.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <optional>
#include <vector>

#include "earshot/collect/laplace_release.hpp"
#include "earshot/collect/network.hpp"
#include "earshot/collect/records.hpp"

namespace earshot {

/// What collected data is for: fixed before anything is collected.
struct Task {
  DenseNet net;
  Loss loss = Loss::kMeanSquared;
};

/// One hidden layer of floor(1.5 n) rectified units.
struct TaskOptions {
  std::size_t epochs = 5000;
  double learning_rate = 1e-3;
  bool as_published = false;  // rectified outputs, as in Sui 2026; for some seeds they never wake up
};

/// The trained task, and how many random starts it took to find one that learns.
struct TrainedTask {
  Task task;
  std::size_t attempts = 1;
  double train_loss = 0;
};

/// Full-batch Adam. A net that ends no better than kDeadShare of the best constant answer is dead and started
/// again from other numbers; `where` names the trial.
TrainedTask train_task(const Records& records, Loss loss, const TaskOptions& options,
                       const StreamName& where);
inline constexpr double kDeadShare = 0.8;

struct TrainingOptions {
  NoiseRule noise;
  std::optional<DomainRule> domain;  // absent: the sensitivity is measured on the training records
  std::size_t latent = 3;            // Z
  bool hidden_layer = false;         // n sigmoid units in encoder and decoder; without, both are linear
  std::size_t epochs = 2000;
  std::size_t inner_steps = 15;  // k
  double learning_rate = 1e-3;
  double weight_decay = 0.1;  // eta: the encoder's gradient gets 2 eta theta
  bool amsgrad = true;
};

/// What a record goes through before and after its release.
struct Collector {
  std::optional<DenseNet> encoder;  // absent: the record itself
  DenseNet decoder;
  std::optional<LatentDomain> domain;
  double sensitivity = 0;          // of the records it was calibrated on, or of the domain
  std::vector<double> epoch_loss;  // of the training in which the encoder learnt, under each epoch's noise

  /// Encoded and clipped.
  Eigen::MatrixXd encode(const Eigen::MatrixXd& records) const;
};

/// The algorithm of Sui 2026, chapter 4: per epoch k alternating steps of encoder and decoder under one noise
/// vector per record, then the sensitivity is measured again and noise drawn again.
Collector train_adaptive(const Task& task, const Records& records, const TrainingOptions& options,
                         const StreamName& where);
/// Records are released as they are; only a decoder is trained.
Collector train_task_unaware(const Task& task, const Records& records, const TrainingOptions& options,
                             const StreamName& where);
/// Encoder and decoder are trained without noise; then the decoder is trained again under the noise that
/// encoder needs.
Collector train_privacy_unaware(const Task& task, const Records& records, const TrainingOptions& options,
                                const StreamName& where);

/// What noise has to cover when these records are released: the domain, or else the records themselves.
double release_sensitivity(const Collector& collector, const Eigen::MatrixXd& records);

/// One noisy release of all records, and what became of it.
struct ReleaseScore {
  double loss = 0;
  std::optional<double> accuracy;  // of classification tasks
  Eigen::VectorXd squared_error;   // mean over records, by attribute
};
ReleaseScore release(const Collector& collector, const Task& task, const Records& records, double sensitivity,
                     const NoiseRule& noise, Stream& stream);

}  // namespace earshot
