#include "earshot/core/progress.hpp"

#include <array>
#include <chrono>
#include <cstdlib>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

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

TEST(Progress, WithoutATerminalNobodyAsksWhatGoesOnInside) {
  const auto asked = []() -> std::string {
    ADD_FAILURE() << "costs time for nothing";
    return "";
  };
  show_inside(asked);
  const Progress progress("run", 10);
  show_inside(asked);
}

/// Stderr is a terminal as long as this lives.
class Terminal {
 public:
  Terminal() : screen_(posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK)), stderr_(dup(STDERR_FILENO)) {
    if (screen_ < 0 || grantpt(screen_) != 0 || unlockpt(screen_) != 0) return;
    keyboard_ = open(ptsname(screen_), O_RDWR | O_NOCTTY);
    if (keyboard_ >= 0) dup2(keyboard_, STDERR_FILENO);
  }
  ~Terminal() {
    for (const int file : {stderr_, screen_, keyboard_})
      if (file >= 0) close(file);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  bool there() const { return keyboard_ >= 0; }
  std::string text() {
    dup2(stderr_, STDERR_FILENO);
    std::string text;
    std::array<char, 4096> shown{};
    for (ssize_t size = 1; size > 0;) {
      size = read(screen_, shown.data(), shown.size());
      if (size > 0) text.append(shown.data(), static_cast<std::size_t>(size));
    }
    return text;
  }

 private:
  int screen_ = -1;
  int keyboard_ = -1;
  int stderr_ = -1;
};

TEST(Progress, OnATerminalWhatGoesOnInsideStandsBehindTheBar) {
  Terminal terminal;
  if (!terminal.there()) GTEST_SKIP() << "no terminal can be made here";
  {
    const Progress progress("run", 10);
    std::this_thread::sleep_for(std::chrono::milliseconds(110));
    show_inside([] { return "step 5"; });
    show_inside([] { return "too soon to be drawn"; });
  }
  const std::string text = terminal.text();
  EXPECT_NE(text.find("0/10 estimating  step 5"), std::string::npos) << text;
  EXPECT_EQ(text.find("too soon"), std::string::npos) << text;
}

}  // namespace
}  // namespace earshot
