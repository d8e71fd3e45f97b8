// Vectors of the compiler as wide as the instruction set's, and how they are moved. Like everything that is
// compiled once per instruction set it has internal linkage and instantiates no function of the standard
// library: code for one instruction set must not replace another's at link time.
#pragma once

#include <cstddef>
#include <cstring>

namespace earshot {
namespace {

#if defined(__AVX512F__)
constexpr int kVectorBytes = 64;
constexpr int kRegisters = 32;
#elif defined(__AVX2__)
constexpr int kVectorBytes = 32;
constexpr int kRegisters = 16;
#else
constexpr int kVectorBytes = 16;
constexpr int kRegisters = 16;
#endif
/// Sums of a tile that stay in registers, beside what they are made of.
constexpr int kSums = kRegisters * 3 / 4;

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

/// 0, 1, ..., N - 1 as arguments of a template; that of the standard library would be one of its functions.
template <int... lanes>
struct Lanes {};
template <int N, int... lanes>
struct LanesUpTo : LanesUpTo<N - 1, N - 1, lanes...> {};
template <int... lanes>
struct LanesUpTo<0, lanes...> {
  using type = Lanes<lanes...>;
};
template <int N>
using AllLanes = typename LanesUpTo<N>::type;

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

/// Where lane l of the two results comes from when lanes l and l + S of a pair of vectors are exchanged:
/// lanes of the first vector are numbered from 0, those of the second from N.
constexpr int first_source(int lane, int s, int n) {
  return (lane & s) == 0 ? lane : n + lane - s;
}
constexpr int second_source(int lane, int s, int n) {
  return first_source(lane, s, n) + s;
}

/// Lanes whose number has the bit S, of `a`, change places with those without it, of `b`.
template <int S, class V, int... lanes>
EARSHOT_INLINE void exchange(V& a, V& b, Lanes<lanes...>) {
  constexpr int kN = sizeof...(lanes);
  const V first = __builtin_shufflevector(a, b, first_source(lanes, S, kN)...);
  b = __builtin_shufflevector(a, b, second_source(lanes, S, kN)...);
  a = first;
}

/// Transposes the N / T squares of T lanes that T vectors are made of (Eklundh 1972): lane t of square q of
/// vector r becomes lane r of square q of vector t.
template <class Real, int N, int T, int S = T / 2>
EARSHOT_INLINE void transpose_squares(Vector<Real, N> (&v)[T]) {
  if constexpr (S > 0) {
    for (int r = 0; r < T; ++r)
      if ((r & S) == 0) exchange<S>(v[r], v[r + S], AllLanes<N>{});
    transpose_squares<Real, N, T, S / 2>(v);
  }
}

/// Of two vectors, the sums of neighbouring lanes: those of `a` in the even lanes, those of `b` in the odd.
template <class Real, int N>
EARSHOT_INLINE Vector<Real, N> neighbour_sums(Vector<Real, N> a, Vector<Real, N> b) {
  exchange<1>(a, b, AllLanes<N>{});
  return a + b;
}

}  // namespace
}  // namespace earshot
