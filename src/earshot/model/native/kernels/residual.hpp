// How far a gradient is from an observed one. For an outer product the residual R = d x^T - o is not even
// written down: all an attack wants of it are its squared length, R x and R^T d.
#pragma once

#include "earshot/model/native/kernels/kernels.hpp"
#include "earshot/model/native/kernels/vector.hpp"

namespace earshot {
namespace {

/// Columns j, j + 1, ... of one vector and M rows: the rows' sums of squares and of R x stay in registers,
/// R^T d is added to memory.
template <class Real, int N, int M>
EARSHOT_INLINE void residual_columns(const Residual<Real>& p, const Real* o, const Real* d, std::size_t j,
                                     Vector<Real, N> (&squares)[M], Vector<Real, N> (&products)[M]) {
  using V = Vector<Real, N>;
  const V x = load<V>(p.x + j);
  V column = load<V>(p.column_sums + j);
  for (int r = 0; r < M; ++r) {
    const V factor = broadcast<V>(d[r]);
    const V rest = factor * x - load<V>(o + static_cast<std::size_t>(r) * p.columns + j);
    squares[r] += rest * rest;
    products[r] += rest * x;
    column += rest * factor;
  }
  store(column, p.column_sums + j);
}

template <class Real, int N>
EARSHOT_INLINE Real lane_sum(const Vector<Real, N>& v) {
  Real lanes[N];
  std::memcpy(lanes, &v, sizeof(lanes));
  Real sum = 0;
  for (int l = 0; l < N; ++l) sum += lanes[l];
  return sum;
}

/// M rows from row i on; returns their sum of squares.
template <class Real, int M>
double residual_rows(const Residual<Real>& p, std::size_t i) {
  constexpr int kN = kLanes<Real>;
  const Real* o = p.observed + i * p.columns;
  const Real* d = p.d + i;
  Vector<Real, kN> squares[M] = {};
  Vector<Real, kN> products[M] = {};
  std::size_t j = 0;
  for (; j + kN <= p.columns; j += kN) residual_columns<Real, kN, M>(p, o, d, j, squares, products);
  Real last_squares[M] = {};
  Real last_products[M] = {};
  for (; j < p.columns; ++j) residual_columns<Real, 1, M>(p, o, d, j, last_squares, last_products);
  double sum = 0;
  for (int r = 0; r < M; ++r) {
    p.row_sums[i + static_cast<std::size_t>(r)] = lane_sum<Real, kN>(products[r]) + last_products[r];
    sum += static_cast<double>(lane_sum<Real, kN>(squares[r]) + last_squares[r]);
  }
  return sum;
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

template <class Real>
double residual(const Residual<Real>& p) {
  constexpr std::size_t kRows = 4;  // eight sums, enough to keep both multipliers busy
  double sum = 0;
  std::size_t i = 0;
  for (; i + kRows <= p.rows; i += kRows) sum += residual_rows<Real, kRows>(p, i);
  for (; i < p.rows; ++i) sum += residual_rows<Real, 1>(p, i);
  return sum;
}

}  // namespace
}  // namespace earshot
