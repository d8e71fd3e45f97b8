#include "earshot/collect/location/planar_channel.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <vector>

#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <fmt/format.h>

#include "earshot/collect/location/distance_channels.hpp"
#include "earshot/core/error.hpp"

namespace earshot {
namespace {

// All lengths here are in units of 1 / epsilon: the density is e^(-r) / 2 pi.

using Quadrature = boost::math::quadrature::gauss<double, 10>;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// e^(-kDeep) is far below rounding, e^(-kUnderflow) below the smallest double.
constexpr double kDeep = 45;
constexpr double kUnderflow = 745;

/// An interval on one axis, not negative; the first axis value is its nearest to the centre.
struct Interval {
  double low = 0;
  double high = 0;
};

/// The mass of a cell around the noise's centre, by rays: 1 - (1 + r) e^(-r) of a direction lies within r.
double central_mass(double half_height, double half_width) {
  constexpr int kPanels = 16;
  const auto sector = [](double near, double far) {
    const double step = std::atan2(far, near) / kPanels;
    double sum = 0;
    for (int i = 0; i < kPanels; ++i)
      sum += Quadrature::integrate(
          [&](double angle) { return boost::math::gamma_p(2.0, near / std::cos(angle)); }, i * step,
          (i + 1) * step);
    return sum;
  };
  return 2 / std::numbers::pi * (sector(half_height, half_width) + sector(half_width, half_height));
}

/// Pieces no longer than 2, nor than their distance from the kink of the density at 0, as far as it matters.
std::vector<double> panels(const Interval& along, double across) {
  const double deepest = std::hypot(along.low, across) + kDeep;
  const double end = std::min(along.high, std::sqrt(deepest * deepest - across * across));
  std::vector<double> edges{along.low};
  while (edges.back() < end)
    edges.push_back(std::min(end, edges.back() + std::min(2.0, std::hypot(edges.back(), across))));
  return edges;
}

/// The mass of a rectangle that does not hold the noise's centre.
double rectangle_mass(const Interval& vertical, const Interval& horizontal) {
  if (std::hypot(vertical.low, horizontal.low) > kUnderflow) return 0;
  const std::vector<double> rows = panels(vertical, horizontal.low);
  const std::vector<double> columns = panels(horizontal, vertical.low);
  double sum = 0;
  for (std::size_t i = 0; i + 1 < rows.size(); ++i)
    for (std::size_t j = 0; j + 1 < columns.size(); ++j)
      sum += Quadrature::integrate(
          [&](double y) {
            return Quadrature::integrate([&](double x) { return std::exp(-std::hypot(x, y)); }, columns[j],
                                         columns[j + 1]);
          },
          rows[i], rows[i + 1]);
  return sum / (2 * std::numbers::pi);
}

/// Masses by how many cells away: 0 is the cell around the centre, the last everything beyond the others.
class Masses {
 public:
  Masses(std::size_t rows, std::size_t columns, double half_height, double half_width)
      : columns_(columns + 1), mass_((rows + 1) * (columns + 1)) {
    const auto piece = [](std::size_t away, std::size_t cells, double half) -> Interval {
      const double near = static_cast<double>(away) * 2 - 1;
      if (away == 0) return {0, half};
      return {near * half, away == cells ? kInfinity : (near + 2) * half};
    };
    for (std::size_t i = 0; i <= rows; ++i) {
      for (std::size_t j = 0; j <= columns; ++j) {
        const double sides = (i == 0 ? 2.0 : 1.0) * (j == 0 ? 2.0 : 1.0);
        mass_[i * columns_ + j] =
            i + j == 0 ? central_mass(half_height, half_width)
                       : sides * rectangle_mass(piece(i, rows, half_height), piece(j, columns, half_width));
      }
    }
    beyond_columns_ = mass_;
    for (std::size_t i = 0; i <= rows; ++i)
      for (std::size_t j = columns; j-- > 0;)
        beyond_columns_[i * columns_ + j] += beyond_columns_[i * columns_ + j + 1];
    beyond_rows_ = sum_up(mass_, rows);
    beyond_both_ = sum_up(beyond_columns_, rows);
  }

  struct Side {
    std::size_t away;
    double borders;  // how many sides of the report's cell are open
  };
  double of(const Side& row, const Side& column) const {
    const std::size_t here = row.away * columns_ + column.away;
    return mass_[here] + row.borders * beyond_rows_[here + columns_] +
           column.borders * beyond_columns_[here + 1] +
           row.borders * column.borders * beyond_both_[here + columns_ + 1];
  }

 private:
  /// What lies at least so many rows away: sums of masses, so that small ones keep their digits.
  std::vector<double> sum_up(std::vector<double> values, std::size_t rows) const {
    for (std::size_t i = rows; i-- > 0;)
      for (std::size_t j = 0; j < columns_; ++j) values[i * columns_ + j] += values[(i + 1) * columns_ + j];
    return values;
  }

  std::size_t columns_;
  std::vector<double> mass_;
  std::vector<double> beyond_columns_;
  std::vector<double> beyond_rows_;
  std::vector<double> beyond_both_;
};

Masses::Side side(std::size_t truth, std::size_t report, std::size_t cells) {
  const bool low = report == 0 && report <= truth;
  const bool high = report + 1 == cells && report >= truth;
  return {truth > report ? truth - report : report - truth, (low ? 1.0 : 0.0) + (high ? 1.0 : 0.0)};
}

void fill_row(const Masses& masses, std::size_t truth, std::size_t rows, std::size_t columns,
              std::span<double> row) {
  for (std::size_t y = 0; y < row.size(); ++y)
    row[y] = masses.of(side(truth / columns, y / columns, rows), side(truth % columns, y % columns, columns));
  const double sum = std::accumulate(row.begin(), row.end(), 0.0);
  if (std::abs(sum - 1) > 1e-9)
    fail(Fault::kInternal, fmt::format("planar Laplace: the cells hold {} of the noise", sum));
  for (double& p : row) p /= sum;
}

}  // namespace

Channel planar_laplace_channel(std::size_t rows, std::size_t columns, const CellSize& cell, double epsilon) {
  if (!(epsilon >= 0)) fail(Fault::kConfig, fmt::format("epsilon is {}, it must be 0 or positive", epsilon));
  if (rows == 0 || columns == 0 || !(cell.height > 0) || !(cell.width > 0))
    fail(Fault::kConfig, "planar Laplace noise needs at least one cell, of positive size");
  const std::size_t cells = rows * columns;
  if (epsilon == 0 || std::isinf(epsilon)) return randomised_response_channel(cells, epsilon);
  const Masses masses(rows, columns, epsilon * cell.height / 2, epsilon * cell.width / 2);
  Channel channel{cells, cells, std::vector<double>(cells * cells)};
  for (std::size_t x = 0; x < cells; ++x) fill_row(masses, x, rows, columns, channel.row(x));
  return channel;
}

}  // namespace earshot
