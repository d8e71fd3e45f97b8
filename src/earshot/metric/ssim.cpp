#include "earshot/metric/ssim.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

constexpr std::size_t kGaussianSide = 11;
constexpr std::size_t kUniformSide = 7;
constexpr double kDeviation = 1.5;
constexpr double kK1 = 0.01;
constexpr double kK2 = 0.03;

/// Filters planes of one size; owns the intermediate buffer so that filtering allocates nothing.
class WindowFilter {
 public:
  WindowFilter(std::size_t height, std::size_t width, SsimWindow window)
      : height_(height),
        width_(width),
        window_(ssim_window(std::min(height, width), window)),
        rows_(height * output_width()) {}

  std::size_t side() const { return window_.size(); }

  std::size_t output_height() const { return height_ - window_.size() + 1; }
  std::size_t output_width() const { return width_ - window_.size() + 1; }
  std::size_t output_size() const { return output_height() * output_width(); }

  /// Windowed means at all positions inside the plane: along rows, then along columns.
  void apply(std::span<const double> plane, std::span<double> out) {
    const std::size_t columns = output_width();
    for (std::size_t y = 0; y < height_; ++y) {
      for (std::size_t x = 0; x < columns; ++x) {
        const double* first = plane.data() + y * width_ + x;
        rows_[y * columns + x] = std::inner_product(window_.begin(), window_.end(), first, 0.0);
      }
    }
    std::fill(out.begin(), out.end(), 0.0);
    for (std::size_t y = 0; y < output_height(); ++y) {
      for (std::size_t k = 0; k < window_.size(); ++k) {
        for (std::size_t x = 0; x < columns; ++x)
          out[y * columns + x] += window_[k] * rows_[(y + k) * columns + x];
      }
    }
  }

 private:
  std::size_t height_;
  std::size_t width_;
  std::vector<double> window_;
  std::vector<double> rows_;
};

/// A plane around its own mean. Variances do not change, but far from zero their formula E[x²] − E[x]² would
/// lose all digits.
struct Centred {
  double mean = 0;
  std::vector<double> values;

  explicit Centred(std::size_t size) : values(size) {}
  void assign(std::span<const double> plane) {
    mean = std::accumulate(plane.begin(), plane.end(), 0.0) / static_cast<double>(plane.size());
    std::transform(plane.begin(), plane.end(), values.begin(), [this](double v) { return v - mean; });
  }
};

void multiply(std::span<const double> a, std::span<const double> b, std::span<double> out) {
  for (std::size_t i = 0; i < a.size(); ++i) out[i] = a[i] * b[i];
}

/// Divisor n − 1 instead of n for the n equal weights of a uniform window; a window of one pixel has no
/// variance.
double variance_factor(std::size_t side, SsimWindow window) {
  const double pixels = static_cast<double>(side * side);
  return window == SsimWindow::kUniform && side > 1 ? pixels / (pixels - 1) : 1.0;
}

/// The terms of SSIM over one plane.
class PlaneSsim {
 public:
  PlaneSsim(std::size_t height, std::size_t width, double range, SsimWindow window)
      : filter_(height, width, window),
        variance_factor_(variance_factor(filter_.side(), window)),
        c1_(std::pow(kK1 * range, 2)),
        c2_(std::pow(kK2 * range, 2)),
        x_(height * width),
        y_(height * width),
        product_(height * width) {
    for (auto& moment : moments_) moment.resize(filter_.output_size());
  }

  SsimTerms operator()(std::span<const double> truth, std::span<const double> guess) {
    x_.assign(truth);
    y_.assign(guess);
    filter_.apply(x_.values, moments_[kX]);
    filter_.apply(y_.values, moments_[kY]);
    filter_product(x_.values, x_.values, moments_[kXX]);
    filter_product(y_.values, y_.values, moments_[kYY]);
    filter_product(x_.values, y_.values, moments_[kXY]);
    check_moments();
    SsimTerms sum;
    for (std::size_t i = 0; i < filter_.output_size(); ++i) {
      const SsimTerms here = terms_at(i);
      sum.index += here.index;
      sum.contrast_structure += here.contrast_structure;
    }
    const double positions = static_cast<double>(filter_.output_size());
    return {sum.index / positions, sum.contrast_structure / positions};
  }

 private:
  enum Moment { kX, kY, kXX, kYY, kXY, kMoments };

  /// Squares cannot cancel, so their sum finds every overflow; later a limit would hide it.
  void check_moments() const {
    const double x = std::accumulate(moments_[kXX].begin(), moments_[kXX].end(), 0.0);
    const double y = std::accumulate(moments_[kYY].begin(), moments_[kYY].end(), 0.0);
    if (!std::isfinite(x + y)) fail(Fault::kNumeric, "SSIM of a value that is not finite or too large");
  }

  void filter_product(std::span<const double> a, std::span<const double> b, std::span<double> out) {
    multiply(a, b, product_);
    filter_.apply(product_, out);
  }

  /// Eq. 13 at one window position. For equal images both fractions have equal terms, so the index is
  /// exactly 1.
  SsimTerms terms_at(std::size_t i) const {
    const double x = moments_[kX][i];
    const double y = moments_[kY][i];
    const double variance_x = variance_factor_ * std::max(0.0, moments_[kXX][i] - x * x);
    const double variance_y = variance_factor_ * std::max(0.0, moments_[kYY][i] - y * y);
    // |cov(x, y)| is at most the mean of the variances; rounding must not break that, or the index leaves
    // [-1, 1].
    const double bound = (variance_x + variance_y) / 2;
    const double covariance = std::clamp(variance_factor_ * (moments_[kXY][i] - x * y), -bound, bound);
    const double mean_x = x + x_.mean;
    const double mean_y = y + y_.mean;
    const double luminance = (2 * mean_x * mean_y + c1_) / (mean_x * mean_x + mean_y * mean_y + c1_);
    const double shared = 2 * covariance + c2_;
    const double total = variance_x + variance_y + c2_;
    return {luminance * shared / total, shared / total};
  }

  WindowFilter filter_;
  double variance_factor_;
  double c1_;
  double c2_;
  Centred x_;
  Centred y_;
  std::vector<double> product_;
  std::array<std::vector<double>, kMoments> moments_;
};

}  // namespace

std::vector<double> ssim_window(std::size_t smaller_side, SsimWindow window) {
  const bool uniform = window == SsimWindow::kUniform;
  const std::size_t largest = smaller_side % 2 == 1 ? smaller_side : smaller_side - 1;
  const std::size_t side =
      std::min(uniform ? kUniformSide : kGaussianSide, std::max<std::size_t>(1, largest));
  std::vector<double> weights(side, 1.0);
  const double centre = static_cast<double>(side - 1) / 2;  // the size is odd
  for (std::size_t i = 0; i < side && !uniform; ++i)
    weights[i] = std::exp(-std::pow((static_cast<double>(i) - centre) / kDeviation, 2) / 2);
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& weight : weights) weight /= sum;
  return weights;
}

SsimTerms ssim_terms(const PlaneView& truth, const PlaneView& guess, double range, SsimWindow window) {
  const SsimTerms terms = PlaneSsim(truth.height, truth.width, range, window)(truth.values, guess.values);
  if (!std::isfinite(terms.index)) fail(Fault::kNumeric, "SSIM of a value that is not finite or too large");
  return terms;
}

double ssim(std::span<const double> truth, std::span<const double> guess, const ImageShape& shape,
            double range, SsimWindow window) {
  check_images("SSIM", truth, guess, shape, range);
  double sum = 0;
  for (std::size_t channel = 0; channel < shape.channels; ++channel) {
    sum +=
        ssim_terms(channel_of(truth, shape, channel), channel_of(guess, shape, channel), range, window).index;
  }
  return sum / static_cast<double>(shape.channels);
}

}  // namespace earshot
