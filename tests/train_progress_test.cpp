// What a user at a terminal sees while a training runs.
#include <array>
#include <cstdlib>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "earshot/data/catalogue/test_data.hpp"
#include "program.hpp"

namespace earshot::testing {
namespace {

using ::testing::ContainsRegex;

/// Runs the program with a terminal for its standard error, and answers with what appeared there.
std::string seen_on_terminal(const std::string& line) {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0) return "no terminal";
  const std::string screen = ptsname(terminal);
  std::vector<std::string> words = split_command(line);
  words.insert(words.begin(), EARSHOT_PROGRAM);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    dup2(open(screen.c_str(), O_WRONLY | O_NOCTTY), STDERR_FILENO);
    dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  const int keep_open = open(screen.c_str(), O_WRONLY | O_NOCTTY);
  std::string seen;
  std::array<char, 4096> buffer{};
  const auto drain = [&] {
    for (ssize_t got = 0; (got = read(terminal, buffer.data(), buffer.size())) > 0;)
      seen.append(buffer.data(), got);
  };
  fcntl(terminal, F_SETFL, O_NONBLOCK);
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    drain();
    usleep(1000);
  }
  drain();
  close(keep_open);
  close(terminal);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? seen : "failed: " + seen;
}

class TrainingProgress : public ::testing::Test {
 protected:
  void SetUp() override { EARSHOT_NEEDS_DATASET("digits"); }
};

TEST_F(TrainingProgress, ShowsLossAccuracyAndThatNothingIsPromised) {
  const std::string seen = seen_on_terminal(
      "train --protocol central --data digits --model softmax_regression --mechanism none --rounds 3");
  EXPECT_THAT(seen, ContainsRegex("central \\[#+\\] 3/3 done in [0-9]+ s  train loss [0-9.]+  loss [0-9.]+  "
                                  "accuracy [0-9]+\\.[0-9]{2} %  no privacy"));
}

TEST_F(TrainingProgress, ShowsEpsilonAndNoTrainLossUnderProtection) {
  const std::string seen = seen_on_terminal(
      "train --protocol fedavg --data digits --model softmax_regression --mechanism dp_sgd "
      "--set mechanism.noise_multiplier=4 --rounds 2 --nodes 3");
  EXPECT_THAT(seen, ContainsRegex("fedavg \\[#+\\] 2/2 done in [0-9]+ s  loss [0-9.]+  "
                                  "accuracy [0-9]+\\.[0-9]{2} %  epsilon [0-9]+\\.[0-9]{3}"));
  EXPECT_EQ(seen.find("train loss"), std::string::npos) << seen;
}

TEST_F(TrainingProgress, ShowsTheErrorOfNumbers) {
  EARSHOT_NEEDS_DATASET("real-estate-valuation");
  const std::string seen = seen_on_terminal(
      "train --protocol central --data real_estate --model mlp --set model.loss=mean_squared --mechanism "
      "none --rounds 2");
  EXPECT_THAT(seen, ContainsRegex("rmse [0-9.]+  no privacy"));
}

}  // namespace
}  // namespace earshot::testing
