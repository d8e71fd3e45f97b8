#include "earshot/core/progress.hpp"

#include <gtest/gtest.h>

#include "earshot/core/parallel.hpp"

namespace earshot {
namespace {

TEST(Progress, DurationsReadLikePeopleSayThem) {
  EXPECT_EQ(human_duration(-1), "0 s");
  EXPECT_EQ(human_duration(0.4), "0 s");
  EXPECT_EQ(human_duration(37.2), "37 s");
  EXPECT_EQ(human_duration(59.6), "1 min 00 s");
  EXPECT_EQ(human_duration(245), "4 min 05 s");
  EXPECT_EQ(human_duration(3600), "1 h 00 min");
  EXPECT_EQ(human_duration(7890), "2 h 11 min");
}

TEST(Progress, LineShowsShareAndTimeLeft) {
  EXPECT_EQ(progress_line("run", 0, 8, 0), "run [............................] 0/8 estimating");
  EXPECT_EQ(progress_line("run", 2, 8, 10), "run [#######.....................] 2/8 30 s left");
  EXPECT_EQ(progress_line("run", 8, 8, 61), "run [############################] 8/8 done in 1 min 01 s");
  EXPECT_EQ(progress_line("run", 0, 0, 0), "run [############################] 0/0 done in 0 s");
}

TEST(Progress, CountsFromManyThreadsWithoutATerminal) {
  testing::internal::CaptureStderr();
  {
    Progress progress("run", 1000, 10);
    parallel_for(990, [&](std::size_t) { progress.advance(); });
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "a log file must not fill with bars";
}

}  // namespace
}  // namespace earshot
