#include "earshot/core/parallel.hpp"

#include <atomic>
#include <numeric>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

class Parallel : public testing::TestWithParam<std::size_t> {
 protected:
  void SetUp() override { set_thread_count(GetParam()); }
  void TearDown() override { set_thread_count(0); }
};

TEST_P(Parallel, EveryIndexOnce) {
  for (const std::size_t count : {0U, 1U, 2U, 1000U}) {
    std::vector<int> calls(count);
    parallel_for(count, [&](std::size_t i) { ++calls[i]; });
    EXPECT_EQ(calls, std::vector<int>(count, 1));
  }
}

TEST_P(Parallel, ExceptionsArriveAsTheyWere) {
  try {
    parallel_for(1000, [](std::size_t i) {
      if (i == 617) fail(Fault::kNumeric, "diverged");
    });
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kNumeric);
    EXPECT_STREQ(error.what(), "diverged");
  }
}

/// When the loop has thrown, no body runs any more: what they refer to may be gone.
TEST_P(Parallel, NoBodyOutlivesTheLoop) {
  std::atomic<int> running = 0;
  EXPECT_THROW(parallel_for(200,
                            [&](std::size_t i) {
                              ++running;
                              volatile double x = 1;
                              for (int k = 0; k < 20000; ++k) x = x * 1.0000001;
                              --running;
                              if (i % 50 == 3) throw std::runtime_error("x");
                            }),
               std::runtime_error);
  EXPECT_EQ(running, 0);
}

TEST_P(Parallel, LoopsMayBeNested) {
  std::vector<std::size_t> sums(20);
  parallel_for(20, [&](std::size_t i) {
    std::vector<std::size_t> inner(50);
    parallel_for(50, [&](std::size_t j) { inner[j] = i * j; });
    sums[i] = std::accumulate(inner.begin(), inner.end(), std::size_t{0});
  });
  for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(sums[i], i * 1225);
}

TEST_P(Parallel, AFailingLoopLeavesTheLoopsInsideItsRunningBodiesWhole) {
  std::atomic<int> cut_short = 0;
  for (int repeat = 0; repeat < 50; ++repeat) {
    const auto outer = [&](std::size_t i) {
      std::atomic<int> done = 0;
      parallel_for(200, [&](std::size_t) { ++done; });
      if (done != 200) ++cut_short;
      if (i % 5 == 2) throw std::runtime_error("x");
    };
    EXPECT_THROW(parallel_for(20, outer), std::runtime_error);
  }
  EXPECT_EQ(cut_short, 0);
}

TEST_P(Parallel, TheThreadCountIsWhatWasSet) {
  EXPECT_EQ(thread_count(), GetParam());
}

INSTANTIATE_TEST_SUITE_P(Threads, Parallel, testing::Values(1, 2, 4));

TEST(ThreadCount, ZeroMeansOnePerCore) {
  set_thread_count(0);
  EXPECT_GE(thread_count(), 1U);
}

}  // namespace
}  // namespace earshot
