// Randomness that protects people: the operating system's generator, never replayable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <sys/types.h>

namespace earshot {

/// Words from the kernel's cryptographic generator, getrandom(2). On purpose no relative of `Stream`: what
/// takes a SecureRandom cannot be given a replayable stream. Words are erased as they are handed out, and
/// the buffer is wiped in a forked child, so that no two processes ever draw the same noise.
class SecureRandom {
 public:
  SecureRandom();
  ~SecureRandom();
  SecureRandom(const SecureRandom&) = delete;
  SecureRandom& operator=(const SecureRandom&) = delete;

  std::uint64_t bits();
  /// Uniform on {0, ..., bound-1} without modulo bias (Lemire 2019); bound > 0.
  std::uint64_t below(std::uint64_t bound);

 private:
  struct Page;
  Page* page_;
};

/// The signature of getrandom(2).
using RandomSystemCall = ssize_t (*)(void* buffer, std::size_t size, unsigned flags);

/// Fills `out` by as many calls as it takes: interrupted calls are repeated, short reads continued, and a
/// failing generator is an error, never a source of predictable bytes.
void fill_random(std::span<std::byte> out, RandomSystemCall call);

}  // namespace earshot
