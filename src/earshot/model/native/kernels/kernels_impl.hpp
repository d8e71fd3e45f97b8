// The inner loops, written with the compiler's vector types and compiled once per instruction set: products,
// and here the exponentials. Everything has internal linkage and no function of the standard library is
// instantiated: code for one instruction set must not replace another's at link time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "earshot/model/native/kernels/kernels.hpp"
#include "earshot/model/native/kernels/product.hpp"
#include "earshot/model/native/kernels/product_transposed.hpp"
#include "earshot/model/native/kernels/residual.hpp"
#include "earshot/model/native/kernels/vector.hpp"

namespace earshot {
namespace {

// x = n ln 2 + r with |r| <= ln 2 / 2; e^r - 1 by its Taylor series, the first term left
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
constexpr Kernels<Real> kKernels = {kVectorBytes,   product<Real>,    product_transposed<Real>,
                                    residual<Real>, difference<Real>, map<Sigmoid, Real>,
                                    map<Tanh, Real>};

#undef EARSHOT_INLINE

}  // namespace
}  // namespace earshot
