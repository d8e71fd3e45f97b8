#include "earshot/collect/sensitivity.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

using Eigen::Index;

void check_points(const Eigen::MatrixXd& points) {
  if (points.cols() == 0 || points.rows() == 0)
    fail(Fault::kData, "the sensitivity of an empty set of records is not defined; give at least one record");
  if (!points.allFinite())
    fail(Fault::kNumeric,
         "an encoded record is not finite, so its sensitivity is unbounded; lower the learning rate or "
         "check the data");
}

void check_axes(Index axes) {
  if (axes > kMostSignedAxes)
    fail(Fault::kConfig, fmt::format("the exact L1 diameter by sign vectors needs at most {} axes, not {}",
                                     kMostSignedAxes, axes));
}

/// Visits the sign vectors with leading + as a tree, one partial sum <s, p> per point and depth, so that no
/// sum is updated in place and rounding does not build up.
class SignSearch {
 public:
  explicit SignSearch(const Eigen::MatrixXd& points) : axes_(points.transpose()), sums_(axes_) {}

  double run() {
    if (axes_.cols() == 1) return axes_.col(0).maxCoeff() - axes_.col(0).minCoeff();
    descend(1);
    return (axes_.row(best_high_) - axes_.row(best_low_)).lpNorm<1>();
  }

 private:
  /// sums_.col(depth - 1) holds the partial sums over the first `depth` axes.
  void descend(Index depth) {
    for (const double sign : {1.0, -1.0}) {
      sums_.col(depth) = sums_.col(depth - 1) + sign * axes_.col(depth);
      if (depth + 1 == axes_.cols())
        measure();
      else
        descend(depth + 1);
    }
  }

  void measure() {
    const auto sum = sums_.col(axes_.cols() - 1);
    const double extent = sum.maxCoeff() - sum.minCoeff();
    if (extent <= best_) return;
    best_ = extent;
    sum.maxCoeff(&best_high_);
    sum.minCoeff(&best_low_);
  }

  Eigen::MatrixXd axes_;  // one column per axis
  Eigen::MatrixXd sums_;
  double best_ = -1;
  Index best_high_ = 0;
  Index best_low_ = 0;
};

/// Calls use(encoder^T s) for every sign vector s with leading +.
template <class Use>
void each_signed_sum(const Eigen::MatrixXd& encoder, const Use& use) {
  check_axes(encoder.rows());
  const std::uint64_t count = std::uint64_t{1} << (encoder.rows() - 1);
  Eigen::VectorXd signs(encoder.rows());
  for (std::uint64_t code = 0; code < count; ++code) {
    for (Index z = 0; z < encoder.rows(); ++z) signs[z] = z > 0 && (code >> (z - 1) & 1) != 0 ? -1 : 1;
    use(Eigen::VectorXd(encoder.transpose() * signs));
  }
}

struct CentredPoints {
  Eigen::MatrixXd points;      // farthest from the centre first
  std::vector<double> radius;  // descending
};

CentredPoints sort_from_centre(const Eigen::MatrixXd& points) {
  const Eigen::VectorXd centre = (points.rowwise().maxCoeff() + points.rowwise().minCoeff()) / 2;
  const Eigen::VectorXd radius = (points.colwise() - centre).colwise().lpNorm<1>();
  std::vector<Index> order(static_cast<std::size_t>(points.cols()));
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::stable_sort(order, [&](Index a, Index b) { return radius[a] > radius[b]; });
  CentredPoints sorted{Eigen::MatrixXd(points.rows(), points.cols()), {}};
  for (std::size_t i = 0; i < order.size(); ++i) {
    sorted.points.col(static_cast<Index>(i)) = points.col(order[i]);
    sorted.radius.push_back(radius[order[i]]);
  }
  return sorted;
}

/// A good lower bound: walk to the farthest point a few times.
double walked_diameter(const Eigen::MatrixXd& points) {
  double best = 0;
  Index at = 0;
  for (int step = 0; step < 4; ++step) {
    Index farthest = 0;
    const double distance = (points.colwise() - points.col(at)).colwise().lpNorm<1>().maxCoeff(&farthest);
    if (distance <= best) break;
    best = distance;
    at = farthest;
  }
  return best;
}

/// Additions of the sign vectors against those of the pairs, of which pruning is expected to leave one in
/// fifty (bench/collect_bench.cpp: on Gaussian clouds the two take the same time at about five axes).
bool signs_are_quicker(const Eigen::MatrixXd& points) {
  if (points.rows() > kMostSignedAxes) return false;
  const double by_signs = std::ldexp(1.0, static_cast<int>(points.rows()));
  return by_signs <= 0.02 * static_cast<double>(points.cols()) * static_cast<double>(points.rows());
}

}  // namespace

double l1_diameter_by_signs(const Eigen::MatrixXd& points) {
  check_points(points);
  check_axes(points.rows());
  return SignSearch(points).run();
}

double l1_diameter_by_pairs(const Eigen::MatrixXd& points) {
  check_points(points);
  const auto [sorted, radius] = sort_from_centre(points);
  // The bounds below are sums of rounded numbers: only a pair that misses by more than their rounding is left
  // out.
  const double slack = 1e-14 * radius.front() * static_cast<double>(points.rows());
  double best = walked_diameter(sorted);
  for (std::size_t i = 0; i < radius.size() && 2 * radius[i] + slack > best; ++i) {
    for (std::size_t j = i + 1; j < radius.size() && radius[i] + radius[j] + slack > best; ++j) {
      best =
          std::max(best, (sorted.col(static_cast<Index>(i)) - sorted.col(static_cast<Index>(j))).lpNorm<1>());
    }
  }
  return best;
}

double l1_diameter(const Eigen::MatrixXd& points) {
  return signs_are_quicker(points) ? l1_diameter_by_signs(points) : l1_diameter_by_pairs(points);
}

double l1_diameter_of_box(const Eigen::MatrixXd& encoder, const Eigen::VectorXd& widths) {
  check_points(encoder);
  if (widths.size() != encoder.cols() || !(widths.array() >= 0).all() || !widths.allFinite())
    fail(Fault::kConfig, "a box needs one finite width of at least 0 for every input of the encoder");
  double best = 0;
  each_signed_sum(encoder,
                  [&](const Eigen::VectorXd& sum) { best = std::max(best, sum.cwiseAbs().dot(widths)); });
  return best;
}

double l1_diameter_of_ball(const Eigen::MatrixXd& encoder, double radius) {
  check_points(encoder);
  if (!(radius >= 0) || !std::isfinite(radius))
    fail(Fault::kConfig, "the radius of a ball must be finite and at least 0");
  double best = 0;
  each_signed_sum(encoder, [&](const Eigen::VectorXd& sum) { best = std::max(best, sum.norm()); });
  return 2 * radius * best;
}

}  // namespace earshot
