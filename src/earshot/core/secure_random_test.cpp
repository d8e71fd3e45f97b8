#include "earshot/core/secure_random.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <set>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "earshot/core/error.hpp"
#include "earshot/core/random.hpp"

namespace earshot {
namespace {

static_assert(!std::is_copy_constructible_v<SecureRandom> && !std::is_move_constructible_v<SecureRandom>);
static_assert(!std::is_convertible_v<Stream&, SecureRandom&> &&
              !std::is_convertible_v<SecureRandom&, Stream&>);

TEST(SecureRandom, NeverRepeatsAWord) {
  SecureRandom a, b;
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 2000; ++i) seen.insert({a.bits(), b.bits()});
  EXPECT_EQ(seen.size(), 4000U);  // a repeat among 4000 64-bit words has probability 5e-13
}

TEST(SecureRandom, EveryBitIsBalanced) {
  SecureRandom random;
  std::array<int, 64> ones{};
  constexpr int kDraws = 1 << 16;
  for (int i = 0; i < kDraws; ++i) {
    const std::uint64_t word = random.bits();
    for (unsigned bit = 0; bit < 64; ++bit) ones[bit] += static_cast<int>((word >> bit) & 1U);
  }
  // Fresh randomness on every run: Hoeffding, 2 * 64 * exp(-2 * 65536 * 0.02^2) = 2e-21 false alarms.
  for (const int count : ones) EXPECT_NEAR(static_cast<double>(count) / kDraws, 0.5, 0.02);
}

TEST(SecureRandom, BelowStaysBelowAndReachesEverything) {
  SecureRandom random;
  std::array<int, 5> seen{};
  for (int i = 0; i < 1000; ++i) ++seen.at(random.below(5));
  for (const int count : seen) EXPECT_GT(count, 0);  // missed with probability 5 * 0.8^1000 < 1e-90
  EXPECT_EQ(random.below(1), 0U);
  EXPECT_THROW(random.below(0), Error);
}

TEST(SecureRandom, AForkedChildDrawsOtherNumbers) {
  SecureRandom random;
  random.bits();  // the buffer now holds words that both processes would hand out
  int channel[2];
  ASSERT_EQ(::pipe(channel), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const std::uint64_t word = random.bits();
    ::_exit(::write(channel[1], &word, sizeof word) == sizeof word ? 0 : 1);
  }
  std::uint64_t theirs = 0;
  ASSERT_EQ(::read(channel[0], &theirs, sizeof theirs), static_cast<ssize_t>(sizeof theirs));
  ::waitpid(child, nullptr, 0);
  EXPECT_NE(theirs, random.bits());
  EXPECT_NE(theirs, 0U);
}

TEST(FillRandom, ContinuesShortReadsAndRepeatsInterruptedCalls) {
  static int calls;
  calls = 0;
  std::vector<std::byte> out(10);
  fill_random(out, [](void* buffer, std::size_t size, unsigned) -> ssize_t {
    if (++calls % 2 == 1) {
      errno = EINTR;
      return -1;
    }
    const std::size_t part = std::min<std::size_t>(size, 3);
    std::fill_n(static_cast<std::byte*>(buffer), part, std::byte{7});
    return static_cast<ssize_t>(part);
  });
  EXPECT_EQ(out, std::vector<std::byte>(10, std::byte{7}));
  EXPECT_EQ(calls, 8);
}

TEST(FillRandom, RefusesToGoOnWithoutRandomness) {
  std::vector<std::byte> out(10);
  const auto fails = [](void*, std::size_t, unsigned) -> ssize_t {
    errno = ENOSYS;
    return -1;
  };
  const auto empty = [](void*, std::size_t, unsigned) -> ssize_t { return 0; };
  EXPECT_THROW(fill_random(out, fails), Error);
  EXPECT_THROW(fill_random(out, empty), Error);
}

}  // namespace
}  // namespace earshot
