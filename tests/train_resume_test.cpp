// Trainings killed or interrupted at random moments and started again give the bytes of one that was never
// stopped.
#include <csignal>
#include <set>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "earshot/core/files.hpp"
#include "earshot/core/random.hpp"
#include "earshot/data/catalogue/test_data.hpp"
#include "program.hpp"

namespace earshot::testing {
namespace {

const std::vector<std::string> kCommand = split_command(
    "train --protocol central --data digits --model mlp --mechanism dp_sgd --rounds 120 "
    "--set model.hidden=16 --set mechanism.noise_multiplier=2 --set protocol.batch=64 "
    "--set protocol.draw=poisson --set protocol.whole_passes=false "
    "--set protocol.evaluate_every=4 --set data.validation_share=0.1 "
    "--set protocol.patience=1000 --checkpoint-every 0 --json");

std::vector<std::string> command_into(const std::string& directory) {
  std::vector<std::string> arguments = kCommand;
  arguments.insert(arguments.end(), {"--out", directory});
  return arguments;
}

/// How often the checkpoint was seen replaced.
class CheckpointWatch {
 public:
  explicit CheckpointWatch(const std::filesystem::path& directory) : file_(directory / "checkpoint") {}
  std::size_t versions() {
    struct stat status {};
    if (::stat(file_.c_str(), &status) == 0) seen_.emplace(status.st_ino, status.st_mtim.tv_nsec);
    return seen_.size();
  }

 private:
  std::filesystem::path file_;
  std::set<std::pair<ino_t, long>> seen_;
};

class StoppedTraining : public ::testing::Test {
 protected:
  void SetUp() override {
    EARSHOT_NEEDS_DATASET("digits");
    const Outcome whole = run_program(command_into("whole"), scratch_.path());
    ASSERT_EQ(whole.exit_code, 0) << whole.err;
    out_ = whole.out;
  }

  /// True if the signal came before the end.
  bool stop_and_go_on(const std::string& name, int signal, std::size_t after_versions, std::size_t polls) {
    CheckpointWatch watch(scratch_.path() / name);
    std::size_t waited = 0;
    const Outcome stopped =
        run_program(command_into(name), scratch_.path(),
                    {signal, [&] { return watch.versions() >= after_versions && waited++ >= polls; }});
    const bool hit = stopped.exit_code != 0;
    if (hit) {
      EXPECT_EQ(stopped.exit_code, signal == SIGKILL ? 128 + SIGKILL : 130) << stopped.err;
    }
    if (hit && signal == SIGINT) {
      EXPECT_NE(stopped.err.find("run the same command to go on"), std::string::npos) << stopped.err;
    }
    const Outcome resumed = run_program(command_into(name), scratch_.path());
    EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
    EXPECT_TRUE(resumed.out == out_) << name;
    for (const char* file : {"model.ckpt", "rounds.csv", "ledger.jsonl", "statements.json", "results.json"}) {
      EXPECT_TRUE(read_text(scratch_.path() / name / file) == read_text(scratch_.path() / "whole" / file))
          << name << "/" << file;
    }
    return hit;
  }

  ScratchDirectory scratch_;
  std::string out_;
};

TEST_F(StoppedTraining, TwentyKilledRunsEqualAnUninterruptedOneToTheByte) {
  Stream moments({1, Purpose::kTest});
  std::size_t killed = 0;
  for (int i = 0; i < 20; ++i) {
    // Some before the first checkpoint, some between two, some while one is written.
    const std::size_t versions = moments.below(8);
    killed += stop_and_go_on("killed" + std::to_string(i), SIGKILL, versions, moments.below(6)) ? 1 : 0;
  }
  EXPECT_GE(killed, 5U) << "too few signals came before the end";
}

TEST_F(StoppedTraining, InterruptedRunsGoOn) {
  EXPECT_TRUE(stop_and_go_on("interrupted", SIGINT, 2, 0));
}

TEST_F(StoppedTraining, RefusesOtherSettingsAndDamage) {
  std::vector<std::string> other = command_into("whole");
  other.insert(other.end(), {"--seed", "2"});
  const Outcome refused = run_program(other, scratch_.path());
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("other settings"), std::string::npos) << refused.err;

  const auto file = scratch_.path() / "whole" / "checkpoint";
  std::string bytes = read_text(file);
  bytes[bytes.size() / 2] ^= 1;
  write_atomically(file, bytes);
  const Outcome damaged = run_program(command_into("whole"), scratch_.path());
  EXPECT_EQ(damaged.exit_code, 2);
  EXPECT_NE(damaged.err.find("checkpoint"), std::string::npos) << damaged.err;
  EXPECT_TRUE(read_text(file) == bytes) << "a damaged checkpoint is left alone";
}

}  // namespace
}  // namespace earshot::testing
