#include "earshot/collect/linear_encoder.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <cmath>

#include "earshot/collect/sensitivity.hpp"
#include "earshot/core/error.hpp"

namespace earshot {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Ascending eigenvalues and vectors of a symmetric matrix.
Eigen::SelfAdjointEigenSolver<MatrixXd> symmetric_eigen(const MatrixXd& matrix) {
  Eigen::SelfAdjointEigenSolver<MatrixXd> solver(matrix);
  if (solver.info() != Eigen::Success)
    fail(Fault::kNumeric, "the eigenvalues of the task did not converge; check the data for extreme values");
  return solver;
}

void check_eigenvalues(const VectorXd& eigenvalues, double s) {
  if (eigenvalues.size() == 0 || !eigenvalues.allFinite() || !(eigenvalues.array() >= 0).all())
    fail(Fault::kNumeric, "a task needs at least one eigenvalue, and finite ones of at least 0");
  for (Index i = 1; i < eigenvalues.size(); ++i) {
    if (eigenvalues[i] > eigenvalues[i - 1]) fail(Fault::kInternal, "eigenvalues must be descending");
  }
  if (!(s > 0) || !std::isfinite(s))
    fail(Fault::kConfig, "the noise per unit of weight must be positive and finite");
}

}  // namespace

MatrixXd WhitenedTask::principal(const MatrixXd& records) const {
  return to_principal * (records.colwise() - mean);
}

WhitenedTask whiten(const MatrixXd& records, const MatrixXd& task) {
  if (records.cols() < 2) fail(Fault::kData, "a covariance needs at least two records");
  if (!records.allFinite() || !task.allFinite()) fail(Fault::kData, "records and task must be finite");
  if (task.cols() != records.rows())
    fail(Fault::kConfig, "the task matrix needs one column for every attribute of a record");
  WhitenedTask out;
  out.mean = records.rowwise().mean();
  const MatrixXd centred = records.colwise() - out.mean;
  const auto covariance =
      symmetric_eigen(centred * centred.transpose() / static_cast<double>(records.cols()));
  const VectorXd& spread = covariance.eigenvalues();
  constexpr double kFlat = 1e-12;  // relative: below it a direction is rounding
  const Index rank = (spread.array() > kFlat * spread[spread.size() - 1]).count();
  if (rank == 0 || !(spread[spread.size() - 1] > 0)) fail(Fault::kData, "all records are the same");
  const MatrixXd axes = covariance.eigenvectors().rightCols(rank);
  const VectorXd deviation = spread.tail(rank).cwiseSqrt();
  const MatrixXd p = task * axes * deviation.asDiagonal();  // P = K Omega
  const auto gram = symmetric_eigen(p.transpose() * p);
  out.eigenvalues = gram.eigenvalues().reverse().cwiseMax(0.0);
  out.to_principal = gram.eigenvectors().rowwise().reverse().transpose() *
                     deviation.cwiseInverse().asDiagonal() * axes.transpose();
  out.radius = (out.to_principal * centred).colwise().norm().maxCoeff();
  return out;
}

Allocation allocate(const VectorXd& eigenvalues, double s) {
  check_eigenvalues(eigenvalues, s);
  const VectorXd root = eigenvalues.cwiseSqrt();
  Index count = 1;
  double sum = root[0];
  // Axis T pays its way while sqrt(l_T) (1 + T s) > s sum_{j <= T} sqrt(l_j).
  while (count < root.size() &&
         root[count] * (1 + static_cast<double>(count + 1) * s) > s * (sum + root[count])) {
    sum += root[count];
    ++count;
  }
  Allocation out;
  out.latent = static_cast<std::size_t>(count);
  out.weights = VectorXd::Zero(root.size());
  const double total = 1 + static_cast<double>(count) * s;
  if (sum > 0)
    out.weights.head(count) = (root.head(count) * (total / sum)).array().operator-(s).max(0.0).sqrt();
  else
    out.weights[0] = 1;  // nothing matters to the task: any encoder is best
  out.loss = s * sum * sum / total + eigenvalues.tail(root.size() - count).sum();
  return out;
}

double task_unaware_loss(const VectorXd& eigenvalues, double s) {
  return privacy_unaware_loss(eigenvalues, static_cast<std::size_t>(eigenvalues.size()), s);
}

double privacy_unaware_loss(const VectorXd& eigenvalues, std::size_t latent, double s) {
  check_eigenvalues(eigenvalues, s);
  const auto kept = static_cast<Index>(latent);
  if (latent == 0 || kept > eigenvalues.size())
    fail(Fault::kConfig, "the latent dimension must be between 1 and the number of attributes");
  const double noise = static_cast<double>(latent) * s;
  return eigenvalues.head(kept).sum() * noise / (1 + noise) +
         eigenvalues.tail(eigenvalues.size() - kept).sum();
}

double encoder_loss(const MatrixXd& gram, const MatrixXd& encoder, double variance) {
  const MatrixXd precision =
      MatrixXd::Identity(gram.rows(), gram.cols()) + encoder.transpose() * encoder / variance;
  return precision.llt().solve(gram).trace();
}

MatrixXd optimal_decoder(const MatrixXd& encoder, double variance) {
  const MatrixXd covariance =
      encoder * encoder.transpose() + variance * MatrixXd::Identity(encoder.rows(), encoder.rows());
  return covariance.llt().solve(encoder).transpose();
}

double ball_noise(double radius, const NoiseRule& rule) {
  return laplace_variance(2 * radius, rule);
}

EffectiveAllocation allocate_on_records(const WhitenedTask& task, const MatrixXd& records,
                                        const NoiseRule& rule, const std::optional<DomainRule>& domain) {
  constexpr int kFactors = 64;
  constexpr double kSmallest = 0.01;
  const MatrixXd principal = task.principal(records);
  EffectiveAllocation best;
  for (int i = 0; i < kFactors; ++i) {
    EffectiveAllocation tried;
    tried.factor = std::pow(kSmallest, static_cast<double>(i) / (kFactors - 1));
    tried.allocation = allocate(task.eigenvalues, ball_noise(tried.factor * task.radius, rule));
    const auto latent = static_cast<Index>(tried.allocation.latent);
    const VectorXd weights = tried.allocation.weights.head(latent);
    const MatrixXd encoded = weights.asDiagonal() * principal.topRows(latent);
    const auto fixed = fix_domain(domain, encoded);
    const double variance = laplace_variance(fixed ? fixed->diameter() : l1_diameter(encoded), rule);
    const Eigen::ArrayXd squares = tried.allocation.weights.array().square();
    tried.train_loss = (task.eigenvalues.array() * variance / (variance + squares)).sum();
    if (i == 0 || tried.train_loss < best.train_loss) best = std::move(tried);
  }
  return best;
}

MatrixXd AffineDecoder::decode(const MatrixXd& latent) const {
  return (matrix * latent).colwise() + offset;
}

AffineDecoder fit_decoder(const MatrixXd& records, const MatrixXd& latent, double variance) {
  if (records.cols() != latent.cols() || records.cols() == 0)
    fail(Fault::kInternal, "a decoder is fitted to as many encoded records as records");
  const double count = static_cast<double>(records.cols());
  const VectorXd record_mean = records.rowwise().mean();
  const VectorXd latent_mean = latent.rowwise().mean();
  const MatrixXd centred = latent.colwise() - latent_mean;
  MatrixXd covariance = centred * centred.transpose() / count;
  covariance.diagonal().array() += variance;
  const MatrixXd cross = (records.colwise() - record_mean) * centred.transpose() / count;
  AffineDecoder out;
  out.matrix = covariance.ldlt().solve(cross.transpose()).transpose();
  out.offset = record_mean - out.matrix * latent_mean;
  return out;
}

}  // namespace earshot
