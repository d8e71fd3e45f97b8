// The inner loops, written with the compiler's vector types and compiled once per instruction set. Everything
// here has internal linkage and no function of the standard library is instantiated: code for one instruction
// set must not replace another's at link time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "earshot/model/native/kernels/kernels.hpp"

namespace earshot {
namespace {

#if defined(__AVX2__)
constexpr int kVectorBytes = 32;
#else
constexpr int kVectorBytes = 16;
#endif

template <class Real, int N>
struct VectorOf {
  typedef Real type __attribute__((vector_size(N * sizeof(Real))));
};
template <class Real>
struct VectorOf<Real, 1> {
  typedef Real type;
};
template <class Real, int N>
using Vector = typename VectorOf<Real, N>::type;
template <class Real>
constexpr int kLanes = kVectorBytes / static_cast<int>(sizeof(Real));

#define EARSHOT_INLINE inline __attribute__((always_inline))

template <class V, class Real>
EARSHOT_INLINE V load(const Real* from) {
  V v;
  std::memcpy(&v, from, sizeof(V));
  return v;
}
template <class V, class Real>
EARSHOT_INLINE void store(const V& v, Real* to) {
  std::memcpy(to, &v, sizeof(V));
}
template <class V, class Real>
EARSHOT_INLINE V broadcast(Real value) {
  return value - V{};  // x - 0 is x, also for -0
}

// --- c = a b: a tile of R rows and C vectors of c stays in registers; b's rows are read as they lie.

template <class Real, int N, int R, int C>
EARSHOT_INLINE void tile(const Product<Real>& p, std::size_t i, std::size_t j) {
  using V = Vector<Real, N>;
  V sum[R][C] = {};
  const Real* a = p.a + i * p.a_row;
  const Real* b = p.b + j;
  for (std::size_t l = 0; l < p.k; ++l, a += p.a_inner, b += p.b_row) {
    V from_b[C];
    for (int c = 0; c < C; ++c) from_b[c] = load<V>(b + c * N);
    for (int r = 0; r < R; ++r) {
      const V from_a = broadcast<V>(a[static_cast<std::size_t>(r) * p.a_row]);
      for (int c = 0; c < C; ++c) sum[r][c] += from_a * from_b[c];
    }
  }
  for (int r = 0; r < R; ++r) {
    Real* to = p.c + (i + static_cast<std::size_t>(r)) * p.c_row + j;
    for (int c = 0; c < C; ++c) {
      store(p.add ? load<V>(to + c * N) + sum[r][c] : sum[r][c], to + c * N);
    }
  }
}

/// The last rows of a panel, fewer than a full tile has: R of them or fewer.
template <class Real, int N, int R, int C>
void last_rows(const Product<Real>& p, std::size_t i, std::size_t j) {
  if constexpr (R > 0) {
    if (p.m - i == R) {
      tile<Real, N, R, C>(p, i, j);
    } else {
      last_rows<Real, N, R - 1, C>(p, i, j);
    }
  }
}

/// All rows of C vectors of columns. Twelve sums keep both multipliers busy and fit the sixteen registers.
template <class Real, int N, int C>
void panel(const Product<Real>& p, std::size_t j) {
  constexpr int kRows = C > 12 ? 1 : 12 / C;
  std::size_t i = 0;
  for (; i + kRows <= p.m; i += kRows) tile<Real, N, kRows, C>(p, i, j);
  last_rows<Real, N, kRows - 1, C>(p, i, j);
}

template <class Real, int N, int C>
void panels(const Product<Real>& p, std::size_t& j) {
  for (; j + N * C <= p.n; j += N * C) panel<Real, N, C>(p, j);
}

template <class Real>
void product(const Product<Real>& p) {
  constexpr int kN = kLanes<Real>;
  std::size_t j = 0;
  if (p.m == 1) panels<Real, kN, 12>(p, j);
  if (p.m <= 3) panels<Real, kN, 4>(p, j);
  panels<Real, kN, 3>(p, j);
  panels<Real, kN, 2>(p, j);
  panels<Real, kN, 1>(p, j);
  if constexpr (kN > 4) panels<Real, 4, 1>(p, j);
  if constexpr (kN > 2) panels<Real, 2, 1>(p, j);
  panels<Real, 1, 1>(p, j);
}

// --- c = a b^T. Rows of both are contiguous along the sum. Strips of a with one or two vectors of rows are
// transposed first, so that each lane sums for its own row of c; the rows that are left are dot products.

EARSHOT_INLINE void transpose(Vector<float, 8> (&v)[8]) {
  using V = Vector<float, 8>;
  V pairs[8];
  for (int i = 0; i < 8; i += 2) {
    pairs[i] = __builtin_shufflevector(v[i], v[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
    pairs[i + 1] = __builtin_shufflevector(v[i], v[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
  }
  V quads[8];
  for (int i = 0; i < 8; i += 4) {
    quads[i] = __builtin_shufflevector(pairs[i], pairs[i + 2], 0, 1, 8, 9, 4, 5, 12, 13);
    quads[i + 1] = __builtin_shufflevector(pairs[i], pairs[i + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    quads[i + 2] = __builtin_shufflevector(pairs[i + 1], pairs[i + 3], 0, 1, 8, 9, 4, 5, 12, 13);
    quads[i + 3] = __builtin_shufflevector(pairs[i + 1], pairs[i + 3], 2, 3, 10, 11, 6, 7, 14, 15);
  }
  for (int i = 0; i < 4; ++i) {
    v[i] = __builtin_shufflevector(quads[i], quads[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    v[i + 4] = __builtin_shufflevector(quads[i], quads[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}
template <class Real>
EARSHOT_INLINE void transpose(Vector<Real, 4> (&v)[4]) {
  using V = Vector<Real, 4>;
  const V low01 = __builtin_shufflevector(v[0], v[1], 0, 4, 2, 6);
  const V high01 = __builtin_shufflevector(v[0], v[1], 1, 5, 3, 7);
  const V low23 = __builtin_shufflevector(v[2], v[3], 0, 4, 2, 6);
  const V high23 = __builtin_shufflevector(v[2], v[3], 1, 5, 3, 7);
  v[0] = __builtin_shufflevector(low01, low23, 0, 1, 4, 5);
  v[1] = __builtin_shufflevector(high01, high23, 0, 1, 4, 5);
  v[2] = __builtin_shufflevector(low01, low23, 2, 3, 6, 7);
  v[3] = __builtin_shufflevector(high01, high23, 2, 3, 6, 7);
}
EARSHOT_INLINE void transpose(Vector<double, 2> (&v)[2]) {
  const auto first = __builtin_shufflevector(v[0], v[1], 0, 2);
  v[1] = __builtin_shufflevector(v[0], v[1], 1, 3);
  v[0] = first;
}
template <class Real, int N>
EARSHOT_INLINE void transpose_square(Vector<Real, N> (&v)[N]) {
  if constexpr (N == 4) {
    transpose<Real>(v);
  } else {
    transpose(v);
  }
}

constexpr std::size_t kStripDepth = 256;  // of the sum, at a time: the strip stays in the first-level cache

/// strip[l][lane] = a[lane][l] for `rows` = G vectors of rows and `depth` columns.
template <class Real, int G>
EARSHOT_INLINE void transpose_strip(const Real* a, std::size_t a_row, std::size_t depth, Real* strip) {
  constexpr int kN = kLanes<Real>;
  using V = Vector<Real, kN>;
  for (int g = 0; g < G; ++g) {
    const Real* rows = a + static_cast<std::size_t>(g * kN) * a_row;
    std::size_t l = 0;
    for (; l + kN <= depth; l += kN) {
      V v[kN];
      for (int r = 0; r < kN; ++r) v[r] = load<V>(rows + static_cast<std::size_t>(r) * a_row + l);
      transpose_square<Real, kN>(v);
      for (int r = 0; r < kN; ++r) store(v[r], strip + (l + static_cast<std::size_t>(r)) * G * kN + g * kN);
    }
    for (; l < depth; ++l) {
      for (int r = 0; r < kN; ++r)
        strip[l * G * kN + static_cast<std::size_t>(g * kN + r)] =
            rows[static_cast<std::size_t>(r) * a_row + l];
    }
  }
}

/// Columns j .. j + C of c for a strip of G vectors of rows, over `depth` terms from `start` on.
template <class Real, int G, int C>
EARSHOT_INLINE void strip_tile(const Product<Real>& p, const Real* strip, std::size_t start,
                               std::size_t depth, std::size_t i, std::size_t j, bool add) {
  constexpr int kN = kLanes<Real>;
  using V = Vector<Real, kN>;
  V sum[C][G] = {};
  const Real* b = p.b + j * p.b_row + start;
  for (std::size_t l = 0; l < depth; ++l) {
    V from_a[G];
    for (int g = 0; g < G; ++g) from_a[g] = load<V>(strip + l * G * kN + g * kN);
    for (int c = 0; c < C; ++c) {
      const V from_b = broadcast<V>(b[static_cast<std::size_t>(c) * p.b_row + l]);
      for (int g = 0; g < G; ++g) sum[c][g] += from_b * from_a[g];
    }
  }
  for (int g = 0; g < G; ++g) {
    int c = 0;
    for (; c + kN <= C; c += kN) {
      V v[kN];
      for (int r = 0; r < kN; ++r) v[r] = sum[c + r][g];
      transpose_square<Real, kN>(v);
      for (int r = 0; r < kN; ++r) {
        Real* to =
            p.c + (i + static_cast<std::size_t>(g * kN + r)) * p.c_row + j + static_cast<std::size_t>(c);
        store(add ? load<V>(to) + v[r] : v[r], to);
      }
    }
    for (; c < C; ++c) {
      for (int r = 0; r < kN; ++r) {
        Real& to =
            p.c[(i + static_cast<std::size_t>(g * kN + r)) * p.c_row + j + static_cast<std::size_t>(c)];
        to = add ? to + sum[c][g][r] : sum[c][g][r];
      }
    }
  }
}

template <class Real, int G, int C>
void last_columns(const Product<Real>& p, const Real* strip, std::size_t start, std::size_t depth,
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
  constexpr int kColumns = G == 1 ? 12 : 6;
  alignas(64) Real strip[kStripDepth * G * kLanes<Real>];
  for (; i + G * kLanes<Real> <= p.m; i += G * kLanes<Real>) {
    for (std::size_t start = 0; start == 0 || start < p.k; start += kStripDepth) {
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
  std::size_t i = 0;
  if (p.n >= 4) {
    strips<Real, 2>(p, i);
    strips<Real, 1>(p, i);
  }
  dot_rows<Real, 4>(p, i);
  dot_rows<Real, 2>(p, i);
  dot_rows<Real, 1>(p, i);
}

// --- Exponentials. x = n ln 2 + r with |r| <= ln 2 / 2; e^r - 1 by its Taylor series, the first term left
// out being below a quarter of the rounding unit.

template <class Real>
struct ExpConstants;
template <>
struct ExpConstants<float> {
  using Bits = std::int32_t;
  static constexpr float kLimit = 87.0F;           // e^+-87 and its reciprocal are normal numbers
  static constexpr float kShifter = 0x1.8p23F;     // adding it rounds to an integer in the low bits
  static constexpr float kLn2High = 0x1.62e4p-1F;  // n times this is exact
  static constexpr float kLn2Low = 0x1.7f7d1cp-20F;
  static constexpr int kMantissa = 23;
  static constexpr int kBias = 127;
  static constexpr int kTerms = 7;
};
template <>
struct ExpConstants<double> {
  using Bits = std::int64_t;
  static constexpr double kLimit = 708.0;
  static constexpr double kShifter = 0x1.8p52;
  static constexpr double kLn2High = 0x1.62e42fee00000p-1;
  static constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
  static constexpr int kMantissa = 52;
  static constexpr int kBias = 1023;
  static constexpr int kTerms = 13;
};

/// e^x = scale (1 + rest): what both e^x and e^x - 1 are made of without cancellation. NaN passes through.
template <class Real, int N>
EARSHOT_INLINE void split_exp(Vector<Real, N> x, Vector<Real, N>& scale, Vector<Real, N>& rest) {
  using V = Vector<Real, N>;
  using K = ExpConstants<Real>;
  using B = Vector<typename K::Bits, N>;
  const V limit = broadcast<V>(K::kLimit);
  x = x > limit ? limit : x;
  x = x < -limit ? -limit : x;
  const V shifted = x * Real(1.44269504088896340736) + K::kShifter;
  const V n = shifted - K::kShifter;
  const V r = (x - n * K::kLn2High) - n * K::kLn2Low;
  B bits;
  std::memcpy(&bits, &shifted, sizeof(bits));
  bits = (bits + K::kBias) << K::kMantissa;
  std::memcpy(&scale, &bits, sizeof(bits));
  V sum = broadcast<V>(Real(1) / Real(K::kTerms));
  sum = sum * r + Real(1);
  for (int term = K::kTerms - 1; term > 1; --term) sum = (sum * r) * (Real(1) / Real(term)) + Real(1);
  rest = sum * r;
}

struct Sigmoid {
  template <class Real, int N>
  static EARSHOT_INLINE Vector<Real, N> of(Vector<Real, N> x) {
    Vector<Real, N> scale;
    Vector<Real, N> rest;
    split_exp<Real, N>(-x, scale, rest);
    return Real(1) / (Real(1) + (scale + scale * rest));
  }
};
/// e / (e + 2) with e = exp(2x) - 1, x cut off where the result is 1 to the last bit.
struct Tanh {
  template <class Real, int N>
  static EARSHOT_INLINE Vector<Real, N> of(Vector<Real, N> x) {
    using V = Vector<Real, N>;
    const V top = broadcast<V>(Real(20));
    x = x > top ? top : x;
    x = x < -top ? -top : x;
    V scale;
    V rest;
    split_exp<Real, N>(Real(2) * x, scale, rest);
    const V e = scale * rest + (scale - Real(1));
    return e / (e + Real(2));
  }
};

/// The tail goes through a full vector too, so that a number's result does not depend on its position.
template <class Function, class Real>
void map(std::size_t count, const Real* in, Real* out) {
  constexpr int kN = kLanes<Real>;
  using V = Vector<Real, kN>;
  std::size_t i = 0;
  for (; i + kN <= count; i += kN) store(Function::template of<Real, kN>(load<V>(in + i)), out + i);
  if (i == count) return;
  Real tail[kN] = {};
  for (std::size_t l = i; l < count; ++l) tail[l - i] = in[l];
  const V v = Function::template of<Real, kN>(load<V>(tail));
  store(v, tail);
  for (std::size_t l = i; l < count; ++l) out[l] = tail[l - i];
}

template <class Real>
constexpr Kernels<Real> kKernels = {product<Real>, product_transposed<Real>, map<Sigmoid, Real>,
                                    map<Tanh, Real>};

#undef EARSHOT_INLINE

}  // namespace
}  // namespace earshot
