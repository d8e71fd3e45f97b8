#include "earshot/metric/ms_ssim.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "earshot/metric/ssim.hpp"

namespace earshot {
namespace {

/// Section 3.2 of the paper, finest scale first.
constexpr std::array kWeights{0.0448, 0.2856, 0.3001, 0.2363, 0.1333};
constexpr std::size_t kWindow = 11;

/// As published for all five; they add up to 1.0001.
std::vector<double> scale_weights(std::size_t scales) {
  std::vector<double> weights(kWeights.begin(), kWeights.begin() + static_cast<std::ptrdiff_t>(scales));
  if (scales == kWeights.size()) return weights;
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& weight : weights) weight /= sum;
  return weights;
}

/// SSIM terms of one channel, finest scale first.
std::vector<SsimTerms> terms_by_scale(const PlaneView& truth, const PlaneView& guess, double range,
                                      std::size_t scales) {
  std::vector<SsimTerms> terms{ssim_terms(truth, guess, range, SsimWindow::kGaussian)};
  Plane x{truth.height, truth.width, {truth.values.begin(), truth.values.end()}};
  Plane y{guess.height, guess.width, {guess.values.begin(), guess.values.end()}};
  while (terms.size() < scales) {
    x = block_means(x.view(), 2);
    y = block_means(y.view(), 2);
    terms.push_back(ssim_terms(x.view(), y.view(), range, SsimWindow::kGaussian));
  }
  return terms;
}

double product(std::span<const SsimTerms> terms) {
  // One scale is SSIM itself, which may be negative.
  if (terms.size() == 1) return terms[0].index;
  const std::vector<double> weights = scale_weights(terms.size());
  double out = std::pow(std::max(0.0, terms.back().index), weights.back());
  for (std::size_t scale = 0; scale + 1 < terms.size(); ++scale)
    out *= std::pow(std::max(0.0, terms[scale].contrast_structure), weights[scale]);
  return out;
}

double average(std::span<const SsimTerms> terms) {
  double sum = 0;
  for (const SsimTerms& scale : terms) sum += scale.index;
  return sum / static_cast<double>(terms.size());
}

}  // namespace

std::size_t ms_ssim_scales(std::size_t smaller_side) {
  std::size_t scales = 1;
  for (std::size_t side = (smaller_side + 1) / 2; side >= kWindow && scales < kWeights.size();
       side = (side + 1) / 2)
    ++scales;
  return scales;
}

double ms_ssim(std::span<const double> truth, std::span<const double> guess, const ImageShape& shape,
               double range, ScaleCombination combination) {
  check_images("MS-SSIM", truth, guess, shape, range);
  const std::size_t scales = ms_ssim_scales(std::min(shape.height, shape.width));
  double sum = 0;
  for (std::size_t channel = 0; channel < shape.channels; ++channel) {
    const std::vector<SsimTerms> terms =
        terms_by_scale(channel_of(truth, shape, channel), channel_of(guess, shape, channel), range, scales);
    sum += combination == ScaleCombination::kProduct ? product(terms) : average(terms);
  }
  return sum / static_cast<double>(shape.channels);
}

}  // namespace earshot
