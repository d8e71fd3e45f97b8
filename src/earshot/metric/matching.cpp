#include "earshot/metric/matching.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Sums of costs along a path must stay finite.
constexpr double kLargestCost = 1e290;

/// Costs seen with the shorter side as rows.
class CostView {
 public:
  CostView(std::span<const double> cost, std::size_t rows, std::size_t columns)
      : cost_(cost), columns_(columns), transposed_(rows > columns), rows_(rows) {}

  std::size_t rows() const { return transposed_ ? columns_ : rows_; }
  std::size_t columns() const { return transposed_ ? rows_ : columns_; }
  bool transposed() const { return transposed_; }
  double operator()(std::size_t row, std::size_t column) const {
    return transposed_ ? cost_[column * columns_ + row] : cost_[row * columns_ + column];
  }

 private:
  std::span<const double> cost_;
  std::size_t columns_;
  bool transposed_;
  std::size_t rows_;
};

/// Adds rows one by one and keeps potentials under which no cost is negative and matched pairs cost nothing;
/// the next row then joins along a shortest path in these reduced costs (Dijkstra).
class AugmentingPaths {
 public:
  explicit AugmentingPaths(const CostView& cost)
      : cost_(cost),
        row_potential_(cost.rows(), 0.0),
        column_potential_(cost.columns(), 0.0),
        row_of_(cost.columns()),
        distance_(cost.columns()),
        from_(cost.columns()),
        done_(cost.columns()) {}

  void add(std::size_t row) {
    const std::size_t last = shortest_path(row);
    update_potentials(row, distance_[last]);
    augment(row, last);
  }

  const std::vector<std::optional<std::size_t>>& row_of() const { return row_of_; }

 private:
  /// The free column nearest to the row.
  std::size_t shortest_path(std::size_t row) {
    std::fill(distance_.begin(), distance_.end(), kInfinity);
    std::fill(done_.begin(), done_.end(), false);
    double length = 0;
    std::size_t current = row;
    while (true) {
      const std::size_t nearest = relax(current, length);
      done_[nearest] = true;
      if (!row_of_[nearest]) return nearest;
      length = distance_[nearest];
      current = *row_of_[nearest];
    }
  }

  /// Shortens distances by paths through `row`; returns the nearest column not done, the first of equals.
  std::size_t relax(std::size_t row, double length) {
    std::size_t nearest = distance_.size();
    for (std::size_t column = 0; column < distance_.size(); ++column) {
      if (done_[column]) continue;
      const double through = length + cost_(row, column) - row_potential_[row] - column_potential_[column];
      if (through < distance_[column]) {
        distance_[column] = through;
        from_[column] = row;
      }
      if (nearest == distance_.size() || distance_[column] < distance_[nearest]) nearest = column;
    }
    return nearest;
  }

  void update_potentials(std::size_t row, double length) {
    row_potential_[row] += length;
    for (std::size_t column = 0; column < distance_.size(); ++column) {
      if (!done_[column] || !row_of_[column]) continue;
      const double slack = length - distance_[column];
      column_potential_[column] -= slack;
      row_potential_[*row_of_[column]] += slack;
    }
  }

  /// Moves every row on the path to the column by which the path left it.
  void augment(std::size_t row, std::size_t last) {
    std::vector<std::size_t> path{last};
    while (from_[path.back()] != row) path.push_back(column_of(from_[path.back()]));
    for (const std::size_t column : path) row_of_[column] = from_[column];
  }

  std::size_t column_of(std::size_t row) const {
    return static_cast<std::size_t>(std::find(row_of_.begin(), row_of_.end(), row) - row_of_.begin());
  }

  CostView cost_;
  std::vector<double> row_potential_;
  std::vector<double> column_potential_;
  std::vector<std::optional<std::size_t>> row_of_;  // by column
  std::vector<double> distance_;                    // from the row being added
  std::vector<std::size_t> from_;                   // last row on the shortest path to the column
  std::vector<bool> done_;
};

void check(std::span<const double> cost, std::size_t rows, std::size_t columns) {
  if (cost.size() != rows * columns) {
    fail(Fault::kInternal, fmt::format("{} costs for {} rows and {} columns", cost.size(), rows, columns));
  }
  // Written so that a value that is not a number fails too.
  if (!std::all_of(cost.begin(), cost.end(), [](double value) { return std::abs(value) <= kLargestCost; }))
    fail(Fault::kNumeric, "a cost to be matched is not finite or too large");
}

}  // namespace

Assignment optimal_matching(std::span<const double> cost, std::size_t rows, std::size_t columns) {
  check(cost, rows, columns);
  const CostView view(cost, rows, columns);
  AugmentingPaths paths(view);
  for (std::size_t row = 0; row < view.rows(); ++row) paths.add(row);
  Assignment out{std::vector<std::optional<std::size_t>>(rows), 0};
  for (std::size_t column = 0; column < view.columns(); ++column) {
    const std::optional<std::size_t> row = paths.row_of()[column];
    if (!row) continue;
    if (view.transposed()) {
      out.column_of[column] = *row;
    } else {
      out.column_of[*row] = column;
    }
    out.cost += view(*row, column);
  }
  return out;
}

}  // namespace earshot
