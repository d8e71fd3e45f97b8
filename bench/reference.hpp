// What programs need that are timed against a reference in another language.
#pragma once

#include <bit>
#include <ctime>
#include <span>
#include <string>

namespace earshot {

/// Of this thread: waiting for a core does not count.
inline double processor_time() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// As 64-bit numbers, which every language reads.
inline void append(std::span<const double> numbers, std::string& bytes) {
  static_assert(std::endian::native == std::endian::little);
  bytes.append(reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes());
}

}  // namespace earshot
