#include "earshot/report/layout.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace earshot {
namespace {

constexpr std::size_t kPivots = 40;
constexpr int kPowerSteps = 100;
constexpr std::size_t kLargestRelaxed = 5'000;
constexpr double kReach = 0.03;  // of the first step: the start is good, so nothing needs to jump over others
constexpr double kPairEvaluations = 6e7;  // a fraction of a second

using Place = std::pair<double, double>;
using Edges = std::span<const std::pair<std::size_t, std::size_t>>;

using Column = std::vector<double>;
using Neighbours = std::vector<std::vector<std::size_t>>;

/// Hop distances from `source`; nodes out of reach get one hop more than the farthest.
Column distances(const Neighbours& neighbours, std::size_t source) {
  Column distance(neighbours.size(), -1.0);
  std::vector<std::size_t> queue{source};
  distance[source] = 0.0;
  for (std::size_t head = 0; head < queue.size(); ++head)
    for (const std::size_t next : neighbours[queue[head]])
      if (distance[next] < 0.0) {
        distance[next] = distance[queue[head]] + 1.0;
        queue.push_back(next);
      }
  const double beyond = distance[queue.back()] + 1.0;
  std::replace(distance.begin(), distance.end(), -1.0, beyond);
  return distance;
}

/// Distances to pivots chosen one by one, each the node farthest from those before it.
std::vector<Column> pivot_columns(const Neighbours& neighbours) {
  std::vector<Column> columns;
  Column nearest(neighbours.size(), static_cast<double>(neighbours.size()));
  std::size_t pivot = 0;
  while (columns.size() < std::min(kPivots, neighbours.size())) {
    columns.push_back(distances(neighbours, pivot));
    for (std::size_t i = 0; i < nearest.size(); ++i) nearest[i] = std::min(nearest[i], columns.back()[i]);
    pivot = static_cast<std::size_t>(std::max_element(nearest.begin(), nearest.end()) - nearest.begin());
  }
  return columns;
}

double mean(const Column& values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

/// C = −½ (D² − row means − column means + grand mean), column by column.
void double_centre(std::vector<Column>& columns) {
  Column row_mean(columns.front().size(), 0.0);
  for (Column& column : columns)
    for (std::size_t i = 0; i < column.size(); ++i) {
      column[i] *= column[i];
      row_mean[i] += column[i] / static_cast<double>(columns.size());
    }
  const double grand = mean(row_mean);
  for (Column& column : columns) {
    const double column_mean = mean(column);
    for (std::size_t i = 0; i < column.size(); ++i)
      column[i] = -0.5 * (column[i] - row_mean[i] - column_mean + grand);
  }
}

double dot(const Column& a, const Column& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// The main axis of the columns' span: C v for the leading eigenvector v of CᵀC, by power iteration from a
/// fixed start. A zero axis (a single node, or nothing left after deflation) stays zero.
Column main_axis(const std::vector<Column>& columns) {
  Column weights(columns.size());
  for (std::size_t k = 0; k < weights.size(); ++k) weights[k] = 1.0 + 0.37 * static_cast<double>(k % 7);
  Column axis;
  for (int step = 0; step < kPowerSteps; ++step) {
    axis.assign(columns.front().size(), 0.0);
    for (std::size_t k = 0; k < columns.size(); ++k)
      for (std::size_t i = 0; i < axis.size(); ++i) axis[i] += weights[k] * columns[k][i];
    for (std::size_t k = 0; k < columns.size(); ++k) weights[k] = dot(columns[k], axis);
    const double length = std::sqrt(dot(weights, weights));
    if (length < 1e-12) return Column(axis.size(), 0.0);
    for (double& weight : weights) weight /= length;
  }
  return axis;
}

void remove_axis(std::vector<Column>& columns, const Column& axis) {
  const double squared = dot(axis, axis);
  if (squared == 0.0) return;
  for (Column& column : columns) {
    const double along = dot(column, axis) / squared;
    for (std::size_t i = 0; i < column.size(); ++i) column[i] -= along * axis[i];
  }
}

/// Fits the drawing into the unit square, both axes alike, centred.
void fit(std::vector<Place>& places) {
  Place low = places.front(), high = places.front();
  for (const auto& [x, y] : places) {
    low = {std::min(low.first, x), std::min(low.second, y)};
    high = {std::max(high.first, x), std::max(high.second, y)};
  }
  const double extent = std::max(high.first - low.first, high.second - low.second);
  for (auto& [x, y] : places) {
    x = extent < 1e-12 ? 0.5 : std::clamp(0.5 + (x - (low.first + high.first) / 2) / extent, 0.0, 1.0);
    y = extent < 1e-12 ? 0.5 : std::clamp(0.5 + (y - (low.second + high.second) / 2) / extent, 0.0, 1.0);
  }
}

/// Leaves of one hub have equal distances to everything: spread nodes that share a place along a small
/// spiral.
void separate(std::vector<Place>& places) {
  constexpr double kGoldenAngle = 2.399963229728653;
  const double step = 0.3 / std::sqrt(static_cast<double>(places.size()) + 1.0);
  std::map<std::pair<long, long>, int> taken;
  for (auto& [x, y] : places) {
    const int turn = taken[{std::lround(x * 1e4), std::lround(y * 1e4)}]++;
    const double radius = step * std::sqrt(static_cast<double>(turn));
    x += radius * std::cos(kGoldenAngle * turn);
    y += radius * std::sin(kGoldenAngle * turn);
  }
}

/// One step: every pair repels by k²/d, every edge pulls by d²/k, nothing moves farther than `reach`.
void relax(std::vector<Place>& places, Edges edges, double k, double reach, std::vector<Place>& force) {
  force.assign(places.size(), {0.0, 0.0});
  const auto push = [&](std::size_t a, std::size_t b, double strength, double dx, double dy) {
    force[a].first += strength * dx, force[a].second += strength * dy;
    force[b].first -= strength * dx, force[b].second -= strength * dy;
  };
  for (std::size_t a = 0; a < places.size(); ++a)
    for (std::size_t b = a + 1; b < places.size(); ++b) {
      const double dx = places[a].first - places[b].first, dy = places[a].second - places[b].second;
      push(a, b, k * k / std::max(dx * dx + dy * dy, 1e-9), dx, dy);
    }
  for (const auto& [a, b] : edges) {
    const double dx = places[a].first - places[b].first, dy = places[a].second - places[b].second;
    push(a, b, -std::hypot(dx, dy) / k, dx, dy);
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    // A weak pull to the middle keeps parts that share no edge on one page.
    const double fx = force[i].first - 0.5 * (places[i].first - 0.5);
    const double fy = force[i].second - 0.5 * (places[i].second - 0.5);
    const double length = std::hypot(fx, fy);
    if (length < 1e-12) continue;
    places[i].first += fx / length * std::min(length, reach);
    places[i].second += fy / length * std::min(length, reach);
  }
}

int step_count(std::size_t nodes) {
  if (nodes > kLargestRelaxed) return 0;
  const auto n = static_cast<double>(nodes);
  return static_cast<int>(std::clamp(kPairEvaluations / (n * n), 15.0, 300.0));
}

}  // namespace

std::vector<Place> node_places(std::size_t node_count, Edges edges) {
  if (node_count == 0) return {};
  Neighbours neighbours(node_count);
  for (const auto& [a, b] : edges) {
    neighbours[a].push_back(b);
    neighbours[b].push_back(a);
  }
  std::vector<Column> columns = pivot_columns(neighbours);
  double_centre(columns);
  const Column x = main_axis(columns);
  remove_axis(columns, x);
  const Column y = main_axis(columns);
  std::vector<Place> places(node_count), force;
  for (std::size_t i = 0; i < node_count; ++i) places[i] = {x[i], y[i]};
  fit(places);
  separate(places);
  const double k = 0.7 / std::sqrt(static_cast<double>(node_count));
  const int steps = step_count(node_count);
  for (int step = 0; step < steps; ++step)
    relax(places, edges, k, kReach * (1.0 - static_cast<double>(step) / steps), force);
  fit(places);
  return places;
}

}  // namespace earshot
