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

/// A training, and how often it is killed.
struct Killed {
  const char* name;
  int times;
  std::size_t rounds;
  const char* settings;
};

/// Every family, with noise, faults, sampling, momentum, clocks, and somebody who listens.
const Killed kTrainings[] = {
    {"central", 4, 120,
     "--protocol central --model mlp --set model.hidden=16 --mechanism dp_sgd "
     "--set mechanism.noise_multiplier=2 --set protocol.batch=64 --set protocol.draw=poisson "
     "--set protocol.whole_passes=false --set protocol.patience=1000"},
    {"fedavg", 3, 60,
     "--protocol fedavg --model softmax_regression --mechanism dp_sgd --set mechanism.noise_multiplier=2 "
     "--set protocol.batch=32 --set protocol.draw=poisson --set protocol.fraction=0.5 "
     "--set protocol.momentum=0.5 --set protocol.server_momentum=0.3"},
    {"scaffold", 2, 60,
     "--protocol scaffold --model softmax_regression --mechanism none --set protocol.batch=16 "
     "--set protocol.clients=4 --faults random --set faults.loss=0.1"},
    {"fedsgd", 2, 60,
     "--protocol fedsgd --model softmax_regression --mechanism none --set protocol.batch=32 "
     "--set protocol.messages=differential --adversary server --keep-view"},
    {"d_psgd", 3, 60,
     "--protocol d_psgd --model softmax_regression --mechanism gaussian --set mechanism.sigma=2.0 "
     "--set protocol.batch=32 --faults random --set faults.loss=0.1 --set faults.delay=0.5 "
     "--set faults.crash=0.05 --set faults.return=0.5 --adversary random --set adversary.size=2 "
     "--set adversary.from=10 --set adversary.rounds=30 --keep-view"},
    {"muffliato", 2, 60,
     "--protocol muffliato --graph complete --nodes 6 --model softmax_regression --mechanism none "
     "--set protocol.batch=32 --set protocol.acceleration=chebyshev"},
    {"skip_ring", 2, 60,
     "--protocol skip_ring --nodes 6 --model softmax_regression --mechanism none --set protocol.batch=32 "
     "--set protocol.order=random --set protocol.latency=exponential --set protocol.skip_probability=0.2"},
    {"pdmm", 2, 60,
     "--protocol pdmm --nodes 5 --model softmax_regression --mechanism none --set protocol.loss=mean "
     "--set protocol.k_max=2 --set protocol.messages=differential --set protocol.z_deviation=0.1"}};

class Training {
 public:
  explicit Training(const Killed& killed)
      : words_(
            "train --data digits --set data.validation_share=0.1 --set protocol.evaluate_every=4 "
            "--checkpoint-every 0 --json --rounds " +
            std::to_string(killed.rounds) + " " + killed.settings) {}

  std::vector<std::string> into(const std::string& directory) const {
    std::vector<std::string> arguments = split_command(words_);
    arguments.insert(arguments.end(), {"--out", directory});
    return arguments;
  }
  std::vector<std::string> files() const {
    std::vector<std::string> names = {"model.ckpt", "rounds.csv", "ledger.jsonl", "statements.json",
                                      "results.json"};
    if (words_.find("--keep-view") != std::string::npos) names.emplace_back("views");
    return names;
  }

 private:
  std::string words_;
};

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
  void SetUp() override { EARSHOT_NEEDS_DATASET("digits"); }

  /// The training that is never stopped.
  void run_whole(const Training& training) {
    const Outcome whole = run_program(training.into("whole"), scratch_.path());
    ASSERT_EQ(whole.exit_code, 0) << whole.err;
    out_ = whole.out;
  }

  /// True if the signal came before the end.
  bool stop_and_go_on(const Training& training, const std::string& name, int signal,
                      std::size_t after_versions, std::size_t polls) {
    CheckpointWatch watch(scratch_.path() / name);
    std::size_t waited = 0;
    const Outcome stopped =
        run_program(training.into(name), scratch_.path(),
                    {signal, [&] { return watch.versions() >= after_versions && waited++ >= polls; }});
    const bool hit = stopped.exit_code != 0;
    if (hit) {
      EXPECT_EQ(stopped.exit_code, signal == SIGKILL ? 128 + SIGKILL : 130) << stopped.err;
    }
    if (hit && signal == SIGINT) {
      EXPECT_NE(stopped.err.find("run the same command to go on"), std::string::npos) << stopped.err;
    }
    const Outcome resumed = run_program(training.into(name), scratch_.path());
    EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
    EXPECT_TRUE(resumed.out == out_) << name;
    for (const std::string& file : training.files()) {
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
  std::size_t killed = 0, runs = 0;
  for (const Killed& kind : kTrainings) {
    const Training training(kind);
    std::filesystem::remove_all(scratch_.path() / "whole");
    run_whole(training);
    if (HasFatalFailure()) return;
    for (int i = 0; i < kind.times; ++i, ++runs) {
      // Some before the first checkpoint, some between two, some while one is written.
      const std::size_t versions = moments.below(8);
      const std::string name = kind.name + std::to_string(i);
      killed += stop_and_go_on(training, name, SIGKILL, versions, moments.below(6)) ? 1 : 0;
    }
  }
  EXPECT_EQ(runs, 20U);
  EXPECT_GE(killed, 5U) << "too few signals came before the end";
}

/// On a busy machine a training may be over before anybody interrupts it.
TEST_F(StoppedTraining, InterruptedRunsGoOn) {
  Killed longer = kTrainings[0];
  longer.rounds = 480;
  const Training training(longer);
  run_whole(training);
  bool interrupted = false;
  for (int i = 0; i < 10 && !interrupted; ++i)
    interrupted = stop_and_go_on(training, "interrupted" + std::to_string(i), SIGINT, 2, 0);
  EXPECT_TRUE(interrupted);
}

TEST_F(StoppedTraining, RefusesOtherSettingsAndDamage) {
  const Training training(kTrainings[0]);
  run_whole(training);
  std::vector<std::string> other = training.into("whole");
  other.insert(other.end(), {"--seed", "2"});
  const Outcome refused = run_program(other, scratch_.path());
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("other settings"), std::string::npos) << refused.err;

  const auto file = scratch_.path() / "whole" / "checkpoint";
  std::string bytes = read_text(file);
  bytes[bytes.size() / 2] ^= 1;
  write_atomically(file, bytes);
  const Outcome damaged = run_program(training.into("whole"), scratch_.path());
  EXPECT_EQ(damaged.exit_code, 2);
  EXPECT_NE(damaged.err.find("checkpoint"), std::string::npos) << damaged.err;
  EXPECT_TRUE(read_text(file) == bytes) << "a damaged checkpoint is left alone";
}

}  // namespace
}  // namespace earshot::testing
