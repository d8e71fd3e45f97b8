#include "earshot/attack/inversion/target_recovery.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "earshot/attack/inversion/dense_part.hpp"

namespace earshot {
namespace {

constexpr double kSnap = 1e-6;

/// d(loss)/d(output) = factor * (prediction - target) for one record.
double adjoint_factor(LossKind loss, std::size_t outputs) {
  const double n = static_cast<double>(outputs);
  if (loss == LossKind::kBinaryCrossEntropy) return 1 / n;
  return loss == LossKind::kMeanSquared ? 2 / n : 1;
}

/// One row per record: what the last layer sees, and a 1 if it has a bias. Row 0 of a record's gradient for
/// target e_0 is factor (p_0 - 1) a, and factor p_0 a for one that is 0 there; under softmax that other
/// target is e_1, since its prediction is weighted by the target's sum.
RowMatrixXd features(const Architecture& architecture, const Model& model, Parameters parameters,
                     std::span<const double> inputs, std::size_t batch) {
  std::vector<double> gradient(parameters.size());
  const DensePart last = *last_dense(architecture, gradient);
  std::vector<double> zeroth(last.outputs, 0.0);
  std::vector<double> other(last.outputs, 0.0);
  zeroth[0] = 1;
  if (architecture.loss == LossKind::kSoftmaxCrossEntropy) other[1] = 1;

  const auto width = static_cast<Eigen::Index>(last.inputs);
  RowMatrixXd rows(static_cast<Eigen::Index>(batch), width + (last.bias.empty() ? 0 : 1));
  rows.setOnes();
  const std::size_t record = inputs.size() / batch;
  for (std::size_t s = 0; s < batch; ++s) {
    auto row = rows.row(static_cast<Eigen::Index>(s)).head(width);
    const auto input = inputs.subspan(s * record, record);
    model.gradient(parameters, {1, input, other}, gradient);
    row = last.matrix().row(0);
    model.gradient(parameters, {1, input, zeroth}, gradient);
    row = (row - last.matrix().row(0)).eval() / adjoint_factor(architecture.loss, last.outputs);
  }
  return rows;
}

}  // namespace

void snap_targets(std::span<double> targets) {
  for (double& target : targets)
    for (const double whole : {0.0, 1.0})
      if (std::abs(target - whole) <= kSnap) target = whole;
}

std::optional<std::vector<std::size_t>> hard_labels(LossKind loss, std::span<const double> targets,
                                                    std::size_t outputs) {
  const bool binary = loss == LossKind::kBinaryCrossEntropy && outputs == 1;
  if (loss != LossKind::kSoftmaxCrossEntropy && !binary) return std::nullopt;
  std::vector<std::size_t> labels;
  for (std::size_t at = 0; at < targets.size(); at += outputs) {
    const auto row = targets.subspan(at, outputs);
    const auto ones = std::count(row.begin(), row.end(), 1.0);
    const auto zeros = std::count(row.begin(), row.end(), 0.0);
    if (static_cast<std::size_t>(ones + zeros) != outputs || (!binary && ones != 1)) return std::nullopt;
    const auto one = std::find(row.begin(), row.end(), 1.0) - row.begin();
    labels.push_back(binary ? static_cast<std::size_t>(ones) : static_cast<std::size_t>(one));
  }
  return labels;
}

std::optional<RecoveredTargets> recover_targets(const Architecture& architecture, const Model& model,
                                                Parameters parameters, std::span<const double> gradient,
                                                std::span<const double> inputs, std::size_t batch) {
  const auto last = last_dense(architecture, gradient);
  const bool softmax = architecture.loss == LossKind::kSoftmaxCrossEntropy;
  if (!last || (softmax && last->outputs < 2)) return std::nullopt;
  const RowMatrixXd seen = features(architecture, model, parameters, inputs, batch);
  RowMatrixXd observed(seen.cols(), static_cast<Eigen::Index>(last->outputs));
  observed.topRows(last->matrix().cols()) = last->matrix().transpose();
  if (!last->bias.empty()) observed.bottomRows(1) = last->bias_vector().transpose();

  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> solver(seen.transpose());
  if (solver.rank() < static_cast<Eigen::Index>(batch)) return std::nullopt;
  const double weight = architecture.reduction == Reduction::kMean ? 1 / static_cast<double>(batch) : 1;
  const RowMatrixXd adjoints =
      solver.solve(observed) / (weight * adjoint_factor(architecture.loss, last->outputs));

  RecoveredTargets found;
  found.targets.resize(batch * last->outputs);
  model.predict(parameters, batch, inputs, found.targets);
  for (std::size_t i = 0; i < found.targets.size(); ++i) found.targets[i] -= adjoints.data()[i];
  snap_targets(found.targets);
  found.labels = hard_labels(architecture.loss, found.targets, last->outputs);
  return found;
}

}  // namespace earshot
