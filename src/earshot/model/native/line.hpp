// Loops over short runs of numbers, four at a time. They are called for every line of a picture, where
// calling a library function would cost as much as the work.
#pragma once

#include <cstddef>
#include <cstring>

namespace earshot {

/// Four numbers that the compiler keeps in vector registers.
template <class Real>
struct Four {
  typedef Real Vector __attribute__((vector_size(4 * sizeof(Real))));

  explicit Four(const Real* from) { std::memcpy(&numbers, from, sizeof(numbers)); }
  explicit Four(Real value) : numbers(Vector{} + value) {}
  void store(Real* to) const { std::memcpy(to, &numbers, sizeof(numbers)); }

  Vector numbers;
};

template <class Real>
inline void copy_line(const Real* from, std::size_t count, Real* to) {
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4) Four<Real>(from + i).store(to + i);
  for (; i < count; ++i) to[i] = from[i];
}

template <class Real>
inline void add_line(const Real* from, std::size_t count, Real* to) {
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    Four<Real> sum(to + i);
    sum.numbers += Four<Real>(from + i).numbers;
    sum.store(to + i);
  }
  for (; i < count; ++i) to[i] += from[i];
}

template <class Real>
inline void fill_line(Real value, std::size_t count, Real* to) {
  const Four<Real> four(value);
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4) four.store(to + i);
  for (; i < count; ++i) to[i] = value;
}

/// Four partial sums, added at the end.
template <class Real>
inline Real sum_line(const Real* from, std::size_t count) {
  Four<Real> four(Real{0});
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4) four.numbers += Four<Real>(from + i).numbers;
  Real sum = (four.numbers[0] + four.numbers[1]) + (four.numbers[2] + four.numbers[3]);
  for (; i < count; ++i) sum += from[i];
  return sum;
}

}  // namespace earshot
