// How far a gradient is from an observed one. For an outer product the residual R = d x^T - o is not even
// written down: all an attack wants of it are its squared length, R x and R^T d.
#pragma once

#include "earshot/model/native/kernels/kernels.hpp"
#include "earshot/model/native/kernels/vector.hpp"

namespace earshot {
namespace {

/// Rows taken together: their sums, enough to keep both multipliers busy, stay in registers.
constexpr int kResidualRows = 4;

template <class Real, int N>
EARSHOT_INLINE Real lane_sum(const Vector<Real, N>& v) {
  Real sum = 0;
  for (int l = 0; l < N; ++l) sum += v[l];
  return sum;
}

/// Halves added up until four lanes are left.
template <class Real, int N>
EARSHOT_INLINE Vector<Real, 4> quad_sum(const Vector<Real, N>& v) {
  if constexpr (N == 4) {
    return v;
  } else {
    Vector<Real, N / 2> halves[2];
    std::memcpy(halves, &v, sizeof(halves));
    return quad_sum<Real, N / 2>(halves[0] + halves[1]);
  }
}

/// The sums over the lanes of M vectors.
template <class Real, int N, int M>
EARSHOT_INLINE void store_lane_sums(Vector<Real, N> (&v)[M], Real* to) {
  if constexpr (M == 4 && N >= 4) {
    Vector<Real, 4> quads[4];
    for (int r = 0; r < 4; ++r) quads[r] = quad_sum<Real, N>(v[r]);
    transpose_squares<Real, 4>(quads);
    store((quads[0] + quads[1]) + (quads[2] + quads[3]), to);
  } else {
    for (int r = 0; r < M; ++r) to[r] = lane_sum<Real, N>(v[r]);
  }
}

/// M rows of one residual.
template <class Real, int M>
struct ResidualRows {
  static constexpr int kN = kLanes<Real>;
  using V = Vector<Real, kN>;

  const Real* o;
  std::size_t columns;
  V d[M];

  EARSHOT_INLINE ResidualRows(const Residual<Real>& p, std::size_t i)
      : o(p.observed + i * p.columns), columns(p.columns) {
    for (int r = 0; r < M; ++r) d[r] = broadcast<V>(p.d[i + static_cast<std::size_t>(r)]);
  }

  /// One vector of columns, from column j on.
  EARSHOT_INLINE void take(std::size_t j, const V& x, V& column, V (&squares)[M], V (&products)[M]) const {
    for (int r = 0; r < M; ++r) {
      const Real* from = o + static_cast<std::size_t>(r) * columns + j;
      // Rows to come, for the second-level cache: a few streams are too short to be foreseen by the
      // processor.
      __builtin_prefetch(from + 2 * M * columns, 0, 2);
      const V rest = d[r] * x - load<V>(from);
      squares[r] += rest * rest;
      products[r] += rest * x;
      column += rest * d[r];
    }
  }
};

/// M rows from row i on; returns the squares of the columns that fill no vector, adds the others' to
/// `squares`.
template <class Real, int M>
EARSHOT_INLINE double residual_rows(const Residual<Real>& p, std::size_t i,
                                    Vector<Real, kLanes<Real>> (&squares)[M]) {
  constexpr int kN = kLanes<Real>;
  using V = Vector<Real, kN>;
  const ResidualRows<Real, M> rows(p, i);
  const Real* x = p.x;
  Real* column_sums = p.column_sums;
  const std::size_t columns = p.columns;
  V products[M];
  for (int r = 0; r < M; ++r) products[r] = V{};
  std::size_t j = 0;
  for (; j + kN <= columns; j += kN) {
    V column = load<V>(column_sums + j);
    rows.take(j, load<V>(x + j), column, squares, products);
    store(column, column_sums + j);
  }
  store_lane_sums<Real, kN, M>(products, p.row_sums + i);
  double last_squares = 0;
  for (; j < columns; ++j) {
    for (int r = 0; r < M; ++r) {
      const std::size_t row = i + static_cast<std::size_t>(r);
      const Real rest = p.d[row] * x[j] - p.observed[row * columns + j];
      last_squares += static_cast<double>(rest * rest);
      p.row_sums[row] += rest * x[j];
      column_sums[j] += rest * p.d[row];
    }
  }
  return last_squares;
}

template <class Real>
double residual(const Residual<Real>& p) {
  constexpr int kN = kLanes<Real>;
  Vector<Real, kN> squares[kResidualRows];
  for (auto& sums : squares) sums = Vector<Real, kN>{};
  Vector<Real, kN> single[1] = {};
  double sum = 0;
  std::size_t i = 0;
  for (; i + kResidualRows <= p.rows; i += kResidualRows) sum += residual_rows<Real>(p, i, squares);
  for (; i < p.rows; ++i) sum += residual_rows<Real>(p, i, single);
  const auto all = ((squares[0] + squares[1]) + (squares[2] + squares[3])) + single[0];
  return sum + static_cast<double>(lane_sum<Real, kN>(all));
}

template <class Real>
double difference(std::size_t count, const Real* observed, Real* numbers) {
  constexpr int kN = kLanes<Real>;
  constexpr std::size_t kBlock = 4 * kN;  // sums of their own: a single one would wait for itself
  using V = Vector<Real, kN>;
  V squares[4] = {};
  std::size_t i = 0;
  for (; i + kBlock <= count; i += kBlock) {
    for (int b = 0; b < 4; ++b) {
      const V apart = load<V>(numbers + i + b * kN) - load<V>(observed + i + b * kN);
      squares[b] += apart * apart;
      store(apart + apart, numbers + i + b * kN);
    }
  }
  double sum = static_cast<double>(lane_sum<Real, kN>((squares[0] + squares[1]) + (squares[2] + squares[3])));
  for (; i < count; ++i) {
    const Real apart = numbers[i] - observed[i];
    sum += static_cast<double>(apart * apart);
    numbers[i] = apart + apart;
  }
  return sum;
}

}  // namespace
}  // namespace earshot
