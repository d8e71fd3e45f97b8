// c = a b: a tile of R rows and C vectors of c stays in registers; b's rows are read as they lie, and a's
// numbers, by rows or by columns, are broadcast from where they lie.
#pragma once

#include "earshot/model/native/kernels/kernels.hpp"
#include "earshot/model/native/kernels/vector.hpp"

namespace earshot {
namespace {

/// Sums of a tile: two registers of sixteen are left to the compiler, which else moves sums to memory and
/// back.
constexpr int kTileSums = kRegisters > 16 ? kSums : 10;
constexpr int tile_rows(int columns) {
  return columns == 1 ? 8 : columns < kTileSums ? kTileSums / columns : 1;
}

/// The narrowest vector that takes the last columns.
constexpr int kNarrow = 4;

/// v with zeros in the first `count` lanes.
template <class Real, int N>
EARSHOT_INLINE Vector<Real, N> without_first(std::size_t count, const Vector<Real, N>& v) {
  if constexpr (N < kLanes<Real> && N < kNarrow) {
    return v;  // vectors so narrow do not overlap
  } else {
    using Mask = decltype(v == v);
    static constexpr struct {
      Mask none = {};
      Mask all = ~Mask{};
    } kMasks;
    const Mask kept =
        load<Mask>(reinterpret_cast<const char*>(&kMasks) + sizeof(Mask) - count * sizeof(Real));
    return __builtin_bit_cast(Vector<Real, N>, __builtin_bit_cast(Mask, v) & kept);
  }
}

/// The first `done` columns of the tile have been written before, with the same sums.
template <class Real, int N, int R, int C>
EARSHOT_INLINE void tile(const Product<Real>& p, std::size_t i, std::size_t j, std::size_t done) {
  using V = Vector<Real, N>;
  V sum[R][C] = {};
  const std::size_t a_row = p.a_row;
  const Real* a = p.a + i * a_row;
  const Real* b = p.b + j;
  Real* to = p.c + i * p.c_row + j;
  const std::size_t c_row = p.c_row;
  const bool add = p.add;
  for (std::size_t l = p.k; l > 0; --l, a += p.a_inner, b += p.b_row) {
    V from_b[C];
    for (int c = 0; c < C; ++c) from_b[c] = load<V>(b + c * N);
    for (int r = 0; r < R; ++r) {
      const V from_a = broadcast<V>(a[static_cast<std::size_t>(r) * a_row]);
      for (int c = 0; c < C; ++c) sum[r][c] += from_a * from_b[c];
    }
  }
  if (add) {
#pragma GCC unroll 12
    for (int r = 0; r < R; ++r, to += c_row) {
      store(load<V>(to) + without_first<Real, N>(done, sum[r][0]), to);
#pragma GCC unroll 12
      for (int c = 1; c < C; ++c) store(load<V>(to + c * N) + sum[r][c], to + c * N);
    }
  } else {
#pragma GCC unroll 12
    for (int r = 0; r < R; ++r, to += c_row) {
#pragma GCC unroll 12
      for (int c = 0; c < C; ++c) store(sum[r][c], to + c * N);
    }
  }
}

/// `rows` rows, R or fewer.
template <class Real, int N, int R, int C>
void few_rows(const Product<Real>& p, std::size_t rows, std::size_t i, std::size_t j, std::size_t done) {
  if constexpr (R > 0) {
    if (rows == R) {
      tile<Real, N, R, C>(p, i, j, done);
    } else {
      few_rows<Real, N, R - 1, C>(p, rows, i, j, done);
    }
  }
}

/// All rows of C vectors of columns. Eight sums keep both multipliers busy, more of them fit the registers;
/// the last rows are shared out evenly, so that no tile has much fewer.
template <class Real, int N, int C>
void panel(const Product<Real>& p, std::size_t j, std::size_t done) {
  constexpr int kRows = tile_rows(C);
  std::size_t i = 0;
  for (; i + 2 * kRows <= p.m; i += kRows) tile<Real, N, kRows, C>(p, i, j, done);
  if (p.m - i > kRows) {
    const std::size_t half = (p.m - i + 1) / 2;
    few_rows<Real, N, kRows, C>(p, half, i, j, done);
    i += half;
  }
  few_rows<Real, N, kRows, C>(p, p.m - i, i, j, done);
}

template <class Real, int N, int C>
void panels(const Product<Real>& p, std::size_t& j) {
  for (; j + N * C <= p.n; j += N * C) panel<Real, N, C>(p, j, 0);
}

/// Whether the columns that are left fit a vector of N lanes, which then ends with the last of them.
template <class Real, int N>
bool narrow_panel(const Product<Real>& p, std::size_t j) {
  if constexpr (N < kLanes<Real>) {
    if (p.n - j > N) return false;
    panel<Real, N, 1>(p, p.n - N, N - (p.n - j));
    return true;
  }
  return false;
}

/// Panels of whole vectors that end with the last column; the last one may begin before column j. A few
/// columns take a narrower vector: some processors multiply two of them in the time of a wide one.
template <class Real>
void last_panels(const Product<Real>& p, std::size_t j) {
  constexpr int kN = kLanes<Real>;
  if (j == p.n || narrow_panel<Real, kNarrow>(p, j) || narrow_panel<Real, 2 * kNarrow>(p, j)) return;
  const auto vectors = [&] { return (p.n - j + kN - 1) / kN; };
  if (vectors() * kN > p.n) {
    panels<Real, kN, 2>(p, j);
    panels<Real, kN, 1>(p, j);
  }
  const std::size_t done = vectors() * kN - (p.n - j);
  if (vectors() == 3) panel<Real, kN, 3>(p, p.n - 3 * kN, done);
  if (vectors() == 2) panel<Real, kN, 2>(p, p.n - 2 * kN, done);
  if (vectors() == 1) panel<Real, kN, 1>(p, p.n - kN, done);
}

template <class Real>
void all_panels(const Product<Real>& p) {
  constexpr int kN = kLanes<Real>;
  std::size_t j = 0;
  if (p.m == 1) panels<Real, kN, 12>(p, j);
  if (p.m <= 3) panels<Real, kN, 4>(p, j);
  panels<Real, kN, 3>(p, j);
  if (p.n >= kN) return last_panels(p, j);
  if constexpr (kN > 8) panels<Real, 8, 1>(p, j);
  if constexpr (kN > 4) panels<Real, 4, 1>(p, j);
  if constexpr (kN > 2) panels<Real, 2, 1>(p, j);
  panels<Real, 1, 1>(p, j);
}

/// Empty sums, of factors that may have no address at all.
template <class Real>
void write_zeros(const Product<Real>& p) {
  for (std::size_t i = 0; i < p.m && !p.add; ++i) {
    for (std::size_t j = 0; j < p.n; ++j) p.c[i * p.c_row + j] = 0;
  }
}

/// Long sums of rows in parts: what is read of b stays in the first-level cache.
template <class Real>
void product(const Product<Real>& p) {
  constexpr std::size_t kDepth = 256;
  if (p.m == 0 || p.n == 0) return;
  if (p.k == 0) return write_zeros(p);
  if (p.a_row == 1 || p.m == 1) return all_panels(p);
  for (std::size_t start = 0; start < p.k; start += kDepth) {
    Product<Real> part = p;
    part.k = p.k - start < kDepth ? p.k - start : kDepth;
    part.a = p.a + start;
    part.b = p.b + start * p.b_row;
    part.add = p.add || start > 0;
    all_panels(part);
  }
}

}  // namespace
}  // namespace earshot
