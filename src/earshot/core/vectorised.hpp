// Loops over numbers, compiled for every width of vectors and run with the widest one the processor has.
//
//   vectorised([&]() EARSHOT_VECTOR_BODY { for (std::size_t i = 0; i < n; ++i) y[i] = std::sqrt(x[i]); });
//
// No multiplication is fused with an addition, so every width gives the same bits. A source that uses it for
// square roots or comparisons is named to earshot_vectorise() in its CMakeLists.txt, else they stay scalar.
#pragma once

namespace earshot {

/// The body has to be inlined: it takes the instruction set of the function it is put into.
#define EARSHOT_VECTOR_BODY __attribute__((always_inline))

#if defined(__x86_64__)

template <class Body>
[[gnu::target("avx512f,avx512dq")]] void run_with_avx512(const Body& body) {
  body();
}
template <class Body>
[[gnu::target("avx2")]] void run_with_avx2(const Body& body) {
  body();
}

template <class Body>
void vectorised(const Body& body) {
  static const bool widest =
      __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0;
  static const bool wide = __builtin_cpu_supports("avx2") != 0;
  if (widest) {
    run_with_avx512(body);
  } else if (wide) {
    run_with_avx2(body);
  } else {
    body();
  }
}

#else

template <class Body>
void vectorised(const Body& body) {
  body();
}

#endif

}  // namespace earshot
