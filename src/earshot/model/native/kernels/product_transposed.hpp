// c = a b^T: rows of both are contiguous along the sum. Strips of a with one or two vectors of rows are
// transposed first, so that each lane sums for its own row of c; the rows that are left are dot products.
//
// What is transposed and broadcast are units of eight bytes: a double, or two floats that are neighbours
// along the sum. A lane of two floats has two sums, of the even and of the odd terms, that are added at the
// end: with half as many lanes each broadcast serves twice as many multiplications.
#pragma once

#include "earshot/model/native/kernels/kernels.hpp"
#include "earshot/model/native/kernels/product.hpp"
#include "earshot/model/native/kernels/vector.hpp"

namespace earshot {
namespace {

using Unit = double;  // only moved, never computed with
constexpr int kUnits = kVectorBytes / static_cast<int>(sizeof(Unit));
using Units = Vector<Unit, kUnits>;
template <class Real>
constexpr int kPerUnit = static_cast<int>(sizeof(Unit) / sizeof(Real));

EARSHOT_INLINE Units broadcast_unit(Unit u) {
  Units all;
  for (int l = 0; l < kUnits; ++l) all[l] = u;
  return all;
}
/// The first number of a unit whose others are zero.
template <class Real>
EARSHOT_INLINE Unit part_of_unit(const Real* from) {
  Unit u = 0;
  std::memcpy(&u, from, sizeof(Real));
  return u;
}

constexpr std::size_t kStripDepth = 256;  // of the sum, at a time: the strip stays in the first-level cache

/// strip[l][row] = unit l of row `row` of a, for G vectors of rows; the last unit is filled up with zeros.
template <class Real, int G>
EARSHOT_INLINE void transpose_strip(const Real* a, std::size_t a_row, std::size_t depth, Unit* strip) {
  constexpr std::size_t kPer = kPerUnit<Real>;
  const std::size_t whole = depth / kPer;
  for (int g = 0; g < G; ++g, a += kUnits * a_row, strip += kUnits) {
    std::size_t l = 0;
    for (; l + kUnits <= whole; l += kUnits) {
      Units v[kUnits];
      for (int r = 0; r < kUnits; ++r) v[r] = load<Units>(a + static_cast<std::size_t>(r) * a_row + l * kPer);
      transpose_squares<Unit, kUnits>(v);
      for (int r = 0; r < kUnits; ++r) store(v[r], strip + (l + static_cast<std::size_t>(r)) * G * kUnits);
    }
    for (; l * kPer < depth; ++l) {
      for (std::size_t r = 0; r < kUnits; ++r) {
        const Real* from = a + r * a_row + l * kPer;
        strip[l * G * kUnits + r] = l < whole ? load<Unit>(from) : part_of_unit(from);
      }
    }
  }
}

template <class V, class Real>
EARSHOT_INLINE void put(const V& numbers, Real* to, bool add) {
  store(add ? load<V>(to) + numbers : numbers, to);
}

/// The largest power of two that is at most `count`, and at most a vector.
constexpr int units_taken(int count) {
  int taken = kUnits;
  while (taken > count) taken /= 2;
  return taken;
}

/// Units `first` to U of kUnits rows of c: lane r of each belongs to row r.
template <class Real, int U, int first = 0>
EARSHOT_INLINE void put_units(const Units (&units)[U], Real* to, std::size_t row, bool add) {
  constexpr int kTaken = units_taken(U - first);
  constexpr int kNumbers = kTaken * kPerUnit<Real>;
  Units v[kTaken];
  for (int u = 0; u < kTaken; ++u) v[u] = units[first + u];
  transpose_squares<Unit, kUnits>(v);
  for (int r = 0; r < kUnits; ++r) {
    Vector<Real, kNumbers> numbers;
    std::memcpy(&numbers, reinterpret_cast<const char*>(&v[r % kTaken]) + r / kTaken * sizeof(numbers),
                sizeof(numbers));
    put(numbers, to + static_cast<std::size_t>(r) * row, add);
  }
  if constexpr (first + kTaken < U) put_units<Real, U, first + kTaken>(units, to + kNumbers, row, add);
}

/// C columns of kUnits rows of c from their sums.
template <int C>
EARSHOT_INLINE void put_columns(const Units (&sum)[C], double* to, std::size_t row, bool add) {
  put_units<double>(sum, to, row, add);
}
template <int C>
EARSHOT_INLINE void put_columns(const Vector<float, 2 * kUnits> (&sum)[C], float* to, std::size_t row,
                                bool add) {
  if constexpr (C > 1) {
    Units units[C / 2];
    for (int u = 0; u < C / 2; ++u) {
      units[u] = __builtin_bit_cast(Units, neighbour_sums<float, 2 * kUnits>(sum[2 * u], sum[2 * u + 1]));
    }
    put_units<float>(units, to, row, add);
  }
  if constexpr (C % 2 != 0) {
    for (int r = 0; r < kUnits; ++r) {
      put(sum[C - 1][2 * r] + sum[C - 1][2 * r + 1], to + static_cast<std::size_t>(r) * row + C - 1, add);
    }
  }
}

/// Columns j .. j + C of c for a strip of G vectors of rows, over `depth` terms from `start` on.
template <class Real, int G, int C>
EARSHOT_INLINE void strip_tile(const Product<Real>& p, const Unit* strip, std::size_t start,
                               std::size_t depth, std::size_t i, std::size_t j, bool add) {
  using V = Vector<Real, kLanes<Real>>;
  constexpr std::size_t kPer = kPerUnit<Real>;
  V sum[G][C] = {};
  const Real* b = p.b + j * p.b_row + start;
  const auto add_terms = [&](auto unit_of) __attribute__((always_inline)) {
    V from_a[G];
    for (int g = 0; g < G; ++g) from_a[g] = load<V>(strip + g * kUnits);
    for (int c = 0; c < C; ++c) {
      const V from_b =
          __builtin_bit_cast(V, broadcast_unit(unit_of(b + static_cast<std::size_t>(c) * p.b_row)));
      for (int g = 0; g < G; ++g) sum[g][c] += from_b * from_a[g];
    }
  };
  for (std::size_t l = 0; l < depth / kPer; ++l, b += kPer, strip += G * kUnits) {
    add_terms(load<Unit, Real>);
  }
  if (depth % kPer != 0) add_terms(part_of_unit<Real>);
  for (int g = 0; g < G; ++g) {
    put_columns<C>(sum[g], p.c + (i + static_cast<std::size_t>(g * kUnits)) * p.c_row + j, p.c_row, add);
  }
}

template <class Real, int G, int C>
void last_columns(const Product<Real>& p, const Unit* strip, std::size_t start, std::size_t depth,
                  std::size_t i, std::size_t j, bool add) {
  if constexpr (C > 0) {
    if (p.n - j == C) {
      strip_tile<Real, G, C>(p, strip, start, depth, i, j, add);
    } else {
      last_columns<Real, G, C - 1>(p, strip, start, depth, i, j, add);
    }
  }
}

template <class Real, int G>
void strips(const Product<Real>& p, std::size_t& i) {
  constexpr int kColumns = kSums / G;
  alignas(64) Unit strip[kStripDepth / kPerUnit<Real> * G * kUnits];
  for (; i + G * kUnits <= p.m; i += G * kUnits) {
    for (std::size_t start = 0; start < p.k; start += kStripDepth) {
      const std::size_t depth = p.k - start < kStripDepth ? p.k - start : kStripDepth;
      const bool add = p.add || start > 0;
      transpose_strip<Real, G>(p.a + i * p.a_row + start, p.a_row, depth, strip);
      std::size_t j = 0;
      for (; j + kColumns <= p.n; j += kColumns) {
        strip_tile<Real, G, kColumns>(p, strip, start, depth, i, j, add);
      }
      last_columns<Real, G, kColumns - 1>(p, strip, start, depth, i, j, add);
    }
  }
}

/// The sum of the lanes of R x C vectors, each continued over the last columns of the sum with ever narrower
/// vectors.
template <class Real, int N, int R, int C>
EARSHOT_INLINE void finish_dots(const Product<Real>& p, std::size_t i, std::size_t j, std::size_t l,
                                const Vector<Real, N> (&sum)[R][C]) {
  if constexpr (N == 1) {
    for (int r = 0; r < R; ++r) {
      Real* to = p.c + (i + static_cast<std::size_t>(r)) * p.c_row + j;
      for (int c = 0; c < C; ++c) to[c] = p.add ? to[c] + sum[r][c] : sum[r][c];
    }
  } else {
    using Half = Vector<Real, N / 2>;
    Half half[R][C];
    for (int r = 0; r < R; ++r) {
      for (int c = 0; c < C; ++c) {
        Half parts[2];
        std::memcpy(parts, &sum[r][c], sizeof(parts));
        half[r][c] = parts[0] + parts[1];
      }
    }
    if (l + N / 2 <= p.k) {
      for (int r = 0; r < R; ++r) {
        for (int c = 0; c < C; ++c) {
          half[r][c] += load<Half>(p.a + (i + static_cast<std::size_t>(r)) * p.a_row + l) *
                        load<Half>(p.b + (j + static_cast<std::size_t>(c)) * p.b_row + l);
        }
      }
      l += N / 2;
    }
    finish_dots<Real, N / 2, R, C>(p, i, j, l, half);
  }
}

template <class Real, int R, int C>
EARSHOT_INLINE void dots(const Product<Real>& p, std::size_t i, std::size_t j) {
  constexpr int kN = kLanes<Real>;
  using V = Vector<Real, kN>;
  V sum[R][C] = {};
  std::size_t l = 0;
  for (; l + kN <= p.k; l += kN) {
    V from_b[C];
    for (int c = 0; c < C; ++c) from_b[c] = load<V>(p.b + (j + static_cast<std::size_t>(c)) * p.b_row + l);
    for (int r = 0; r < R; ++r) {
      const V from_a = load<V>(p.a + (i + static_cast<std::size_t>(r)) * p.a_row + l);
      for (int c = 0; c < C; ++c) sum[r][c] += from_a * from_b[c];
    }
  }
  finish_dots<Real, kN, R, C>(p, i, j, l, sum);
}

/// R rows of c. More columns at a time the fewer rows there are, to have enough independent sums.
template <class Real, int R>
void dot_rows(const Product<Real>& p, std::size_t& i) {
  constexpr int kColumns = R == 1 ? 8 : R == 2 ? 6 : 3;
  for (; i + R <= p.m; i += R) {
    std::size_t j = 0;
    for (; j + kColumns <= p.n; j += kColumns) dots<Real, R, kColumns>(p, i, j);
    for (; j < p.n; ++j) dots<Real, R, 1>(p, i, j);
  }
}

template <class Real>
void product_transposed(const Product<Real>& p) {
  if (p.k == 0) return write_zeros(p);
  std::size_t i = 0;
  if (p.n >= 4) {
    strips<Real, 2>(p, i);
    strips<Real, 1>(p, i);
  }
  dot_rows<Real, 4>(p, i);
  dot_rows<Real, 2>(p, i);
  dot_rows<Real, 1>(p, i);
}

}  // namespace
}  // namespace earshot
