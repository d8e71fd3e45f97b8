// Vectors of the compiler as wide as the instruction set's, and how they are moved. Like everything that is
// compiled once per instruction set it has internal linkage and instantiates no function of the standard
// library: code for one instruction set must not replace another's at link time.
#pragma once

#include <cstddef>
#include <cstring>

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

}  // namespace
}  // namespace earshot
