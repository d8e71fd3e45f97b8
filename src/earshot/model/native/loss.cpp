#include "earshot/model/native/loss.hpp"

#include <algorithm>
#include <cmath>

#include "earshot/model/native/room.hpp"

namespace earshot {
namespace {

template <class Real>
double sum_of(const Real* numbers, std::size_t count) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += numbers[i];
  return sum;
}

/// p = softmax(z); returns log(sum exp(z)).
template <class Real>
double softmax(const Real* z, std::size_t count, Real* p) {
  const Real top = *std::max_element(z, z + count);
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    p[i] = std::exp(z[i] - top);
    sum += p[i];
  }
  for (std::size_t i = 0; i < count; ++i) p[i] = static_cast<Real>(p[i] / sum);
  return top + std::log(sum);
}

}  // namespace

template <class Real>
double Loss<Real>::row_loss(const Real* z, const Real* q, Real scale, Real* p, Real* adjoint) const {
  const std::size_t n = outputs_;
  double loss = 0;
  switch (kind_) {
    case LossKind::kSoftmaxCrossEntropy: {
      const double mass = sum_of(q, n);
      loss = mass * softmax(z, n, p);
      for (std::size_t k = 0; k < n; ++k) {
        loss -= static_cast<double>(q[k]) * z[k];
        adjoint[k] = scale * (static_cast<Real>(mass) * p[k] - q[k]);
      }
      return loss;
    }
    case LossKind::kBinaryCrossEntropy:
      for (std::size_t k = 0; k < n; ++k) {
        const double x = z[k];
        const double small = std::exp(-std::abs(x));
        loss += std::max(x, 0.0) + std::log1p(small) - q[k] * x;
        p[k] = static_cast<Real>((x >= 0 ? 1 : small) / (1 + small));
        adjoint[k] = scale * (p[k] - q[k]) / static_cast<Real>(n);
      }
      return loss / static_cast<double>(n);
    case LossKind::kMeanSquared:
      for (std::size_t k = 0; k < n; ++k) {
        const double error = static_cast<double>(z[k]) - q[k];
        loss += error * error;
        adjoint[k] = scale * 2 * (z[k] - q[k]) / static_cast<Real>(n);
      }
      return loss / static_cast<double>(n);
  }
  return loss;
}

template <class Real>
void Loss<Real>::row_tangent(const Real* q, Real scale, const Real* p, const Real* z_tangent,
                             Real* adjoint_tangent, Real* target_pullback) const {
  const std::size_t n = outputs_;
  if (kind_ == LossKind::kSoftmaxCrossEntropy) {
    double mean = 0;
    for (std::size_t k = 0; k < n; ++k) mean += static_cast<double>(p[k]) * z_tangent[k];
    const Real mass = static_cast<Real>(sum_of(q, n));
    for (std::size_t k = 0; k < n; ++k) {
      const Real excess = static_cast<Real>(z_tangent[k] - mean);
      adjoint_tangent[k] = scale * mass * p[k] * excess;
      if (target_pullback != nullptr) target_pullback[k] = -scale * excess;
    }
    return;
  }
  const Real share = scale / static_cast<Real>(n);
  for (std::size_t k = 0; k < n; ++k) {
    const Real target_slope = kind_ == LossKind::kMeanSquared ? 2 * share : share;
    const Real slope = kind_ == LossKind::kMeanSquared ? 2 * share : share * p[k] * (1 - p[k]);
    adjoint_tangent[k] = slope * z_tangent[k];
    if (target_pullback != nullptr) target_pullback[k] = -target_slope * z_tangent[k];
  }
}

template <class Real>
void Loss<Real>::forward(std::size_t count, std::size_t rows, const Real* z, const Real* q,
                         const Real* scales, Real* losses, Real* adjoint) {
  Real* p = room(probabilities_, count * rows * outputs_);
  for (std::size_t k = 0; k < count; ++k) {
    double sum = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      const std::size_t at = (k * rows + i) * outputs_;
      if (scales[i] == 0) {
        std::fill_n(adjoint + at, outputs_, Real(0));
      } else {
        sum += scales[i] * row_loss(z + at, q + at, scales[i], p + at, adjoint + at);
      }
    }
    if (losses != nullptr) losses[k] = static_cast<Real>(sum);
  }
}

template <class Real>
void Loss<Real>::tangent(std::size_t count, std::size_t rows, const Real* q, const Real* scales,
                         const Real* z_tangent, Real* adjoint_tangent, Real* target_pullback) const {
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t i = 0; i < rows; ++i) {
      const std::size_t at = (k * rows + i) * outputs_;
      Real* pullback = target_pullback == nullptr ? nullptr : target_pullback + at;
      if (scales[i] == 0) {
        std::fill_n(adjoint_tangent + at, outputs_, Real(0));
        if (pullback != nullptr) std::fill_n(pullback, outputs_, Real(0));
      } else {
        row_tangent(q + at, scales[i], probabilities_.data() + at, z_tangent + at, adjoint_tangent + at,
                    pullback);
      }
    }
  }
}

template class Loss<float>;
template class Loss<double>;

}  // namespace earshot
