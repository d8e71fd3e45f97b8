// The store and the runner together: what is finished is kept, whatever ends the run.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include "earshot/core/files.hpp"
#include "earshot/core/interrupt.hpp"
#include "earshot/core/parallel.hpp"
#include "earshot/core/random.hpp"
#include "earshot/experiment/results.hpp"
#include "earshot/experiment/runner.hpp"
#include "earshot/experiment/store.hpp"
#include "earshot/experiment/test_catalogue.hpp"

namespace earshot {
namespace {

using testing::HasSubstr;

constexpr const char* kPlan = R"(
name = "x"
title = "X"
trials = 5
[graph]
kind = "ring"
[sweep]
"graph.nodes" = [10, 5, 7, 9]
)";

Plan parse(const std::vector<Override>& overrides = {}) {
  return parse_plan(kPlan, "plan.toml", test_catalogue(), overrides);
}

Json unit(const Cell& cell, std::size_t trial) {
  Stream stream({1, Purpose::kTest, trial, cell.index});
  return {{"tables",
           {{"t", {{"columns", {"value", "name"}}, {"rows", {{stream.normal(), "é"}, {-0.0, nullptr}}}}}}}};
}

class Run : public testing::Test {
 protected:
  void SetUp() override {
    const std::string pattern = (std::filesystem::temp_directory_path() / "earshot-run-XXXXXX").string();
    std::string name = pattern;
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    directory_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  std::filesystem::path file() const { return directory_ / RunStore::kFileName; }
  std::string open_error(const Plan& plan, Fault fault) const {
    try {
      const RunStore store(directory_, plan);
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), fault) << error.what();
      return error.what();
    }
    return "(opened)";
  }

  std::filesystem::path directory_;
  Plan plan_ = parse();
};

std::string uninterrupted(const Plan& plan) {
  return assemble_results(plan, execute(plan, nullptr, unit).units, "c").dump();
}

TEST_F(Run, EveryUnitOnceInOrder) {
  RunStore store(directory_ / "made" / "on the way", plan_);
  std::atomic<int> calls = 0;
  const RunOutcome outcome = execute(plan_, &store, [&](const Cell& cell, std::size_t trial) {
    ++calls;
    return Json{{"cell", cell.index}, {"trial", trial}};
  });
  EXPECT_EQ(calls, 20);
  EXPECT_EQ(outcome.computed, 20U);
  EXPECT_EQ(outcome.reused, 0U);
  for (std::size_t c = 0; c < 4; ++c) {
    for (std::size_t t = 0; t < 5; ++t) EXPECT_EQ(outcome.units[c][t], (Json{{"cell", c}, {"trial", t}}));
  }
}

TEST_F(Run, ResumeAfterAnErrorEqualsUninterrupted) {
  const std::string expected = uninterrupted(plan_);
  for (std::size_t k = 0; k <= 20; k += 4) {
    std::filesystem::remove_all(directory_);
    std::atomic<std::size_t> calls = 0;
    {
      RunStore store(directory_, plan_);
      const UnitFunction breaks = [&](const Cell& cell, std::size_t trial) {
        if (calls++ >= k) fail(Fault::kNumeric, "diverged");
        return unit(cell, trial);
      };
      if (k < 20) {
        EXPECT_THROW(execute(plan_, &store, breaks), Error);
      } else {
        execute(plan_, &store, breaks);
      }
      EXPECT_EQ(store.units().size(), k);
    }
    RunStore store(directory_, plan_);
    const RunOutcome outcome = execute(plan_, &store, unit);
    EXPECT_EQ(outcome.reused, k);
    EXPECT_EQ(outcome.computed, 20 - k);
    EXPECT_EQ(assemble_results(plan_, outcome.units, "c").dump(), expected);
  }
}

TEST_F(Run, ErrorsNameTheCellAndTheTrial) {
  set_thread_count(1);
  const auto message = [&](const UnitFunction& broken, Fault fault) -> std::string {
    try {
      execute(plan_, nullptr, broken);
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), fault);
      return error.what();
    }
    return "";
  };
  const auto at = [](const Cell& cell, std::size_t trial) { return cell.index == 1 && trial == 3; };
  EXPECT_EQ(message(
                [&](const Cell& cell, std::size_t trial) {
                  if (at(cell, trial)) fail(Fault::kData, "no such file");
                  return unit(cell, trial);
                },
                Fault::kData),
            R"(cell 1 {"graph.nodes":5}, trial 3: no such file)");
  EXPECT_THAT(message(
                  [&](const Cell& cell, std::size_t trial) {
                    if (at(cell, trial)) throw std::out_of_range("vector::at");
                    return unit(cell, trial);
                  },
                  Fault::kInternal),
              HasSubstr("trial 3: vector::at"));
  EXPECT_THAT(message([](const Cell&, std::size_t) { return Json(3); }, Fault::kInternal),
              HasSubstr("not a JSON object"));
  set_thread_count(0);
}

TEST_F(Run, MoreTrialsKeepWhatIsStored) {
  {
    RunStore store(directory_, plan_);
    execute(plan_, &store, unit);
  }
  const Plan longer = parse({{"trials", 8}});
  {
    RunStore store(directory_, longer);
    const RunOutcome outcome = execute(longer, &store, unit);
    EXPECT_EQ(outcome.reused, 20U);
    EXPECT_EQ(outcome.computed, 12U);
    EXPECT_EQ(assemble_results(longer, outcome.units, "c").dump(), uninterrupted(longer));
  }
  RunStore store(directory_, plan_);
  const RunOutcome outcome = execute(plan_, &store, unit);
  EXPECT_EQ(outcome.computed, 0U);
  EXPECT_EQ(assemble_results(plan_, outcome.units, "c").dump(), uninterrupted(plan_));
}

/// The child is killed with SIGKILL at a time of no one's choosing; whatever it reported as stored must be
/// there.
TEST_F(Run, ResumeAfterSigkillEqualsUninterrupted) {
  const std::string expected = uninterrupted(plan_);
  for (const int milliseconds : {5, 25, 60}) {
    std::filesystem::remove_all(directory_);
    int pipe_ends[2];
    ASSERT_EQ(pipe(pipe_ends), 0);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {  // no threads after fork: units one by one, as the runner would
      RunStore store(directory_, plan_);
      for (const Cell& cell : plan_.cells) {
        for (std::size_t trial = 0; trial < plan_.trials; ++trial) {
          store.put({cell.index, trial, unit(cell, trial).dump(), 0});
          if (write(pipe_ends[1], "+", 1) != 1) _exit(1);
          std::this_thread::sleep_for(std::chrono::milliseconds(4));
        }
      }
      pause();
      _exit(1);
    }
    char ignored;
    ASSERT_EQ(read(pipe_ends[0], &ignored, 1), 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    close(pipe_ends[1]);
    std::size_t reported = 1;
    while (read(pipe_ends[0], &ignored, 1) == 1) ++reported;
    close(pipe_ends[0]);
    ASSERT_TRUE(WIFSIGNALED(status));
    RunStore store(directory_, plan_);
    const RunOutcome outcome = execute(plan_, &store, unit);
    EXPECT_GE(outcome.reused, reported);
    EXPECT_LE(outcome.reused, reported + 1) << "put and report are two steps";
    EXPECT_EQ(assemble_results(plan_, outcome.units, "c").dump(), expected);
  }
}

/// Exits with 42 if an interrupt in the seventh unit leaves exactly seven units stored.
[[noreturn]] void interrupted_run(const std::filesystem::path& directory, const Plan& plan) {
  set_thread_count(1);
  catch_interrupts();
  RunStore store(directory, plan);
  std::size_t calls = 0;
  try {
    execute(plan, &store, [&](const Cell& cell, std::size_t trial) {
      if (++calls == 7) raise(SIGINT);
      return unit(cell, trial);
    });
  } catch (const Error& error) {
    _exit(error.fault() == Fault::kInterrupted && store.units().size() == 7 ? 42 : 1);
  }
  _exit(2);
}

TEST_F(Run, InterruptKeepsWhatIsDone) {
  // The interrupt flag cannot be taken back, so it is raised in a process of its own.
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(interrupted_run(directory_, plan_), testing::ExitedWithCode(42), "");
}

TEST_F(Run, AnotherPlanIsToldToGoElsewhere) {
  { RunStore(directory_, plan_).put({0, 0, "{}", 0}); }
  EXPECT_THAT(open_error(parse({{"seed", 9}}), Fault::kConfig), HasSubstr("choose another --out"));
  EXPECT_EQ(RunStore(directory_, plan_).units().size(), 1U);
}

TEST_F(Run, ASecondUserOfTheStoreIsRefused) {
  const RunStore first(directory_, plan_);
  EXPECT_THAT(open_error(plan_, Fault::kConfig), HasSubstr("another earshot is running on this store"));
}

TEST_F(Run, ASecondProcessIsRefusedUntilTheFirstIsGone) {
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const RunStore store(directory_, plan_);
    if (write(pipe_ends[1], "+", 1) == 1) pause();
    _exit(1);
  }
  char ignored;
  ASSERT_EQ(read(pipe_ends[0], &ignored, 1), 1);
  EXPECT_THAT(open_error(plan_, Fault::kConfig), HasSubstr("another earshot is running on this store"));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  close(pipe_ends[0]);
  close(pipe_ends[1]);
  EXPECT_EQ(open_error(plan_, Fault::kConfig), "(opened)");
}

TEST_F(Run, ForeignFilesAreLeftAlone) {
  const std::string text = "my diary, twenty pages of it";
  std::ofstream(file()) << text;
  EXPECT_THAT(open_error(plan_, Fault::kData), HasSubstr("not a run store"));
  EXPECT_EQ(read_text(file()), text);
  std::filesystem::remove(file());
  std::filesystem::create_directory(file());
  EXPECT_THAT(open_error(plan_, Fault::kData), HasSubstr("not a file"));
}

TEST_F(Run, OtherProgramsDatabasesAreLeftAlone) {
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(file().c_str(), &other), SQLITE_OK);
  ASSERT_EQ(
      sqlite3_exec(other, "CREATE TABLE unit(a); INSERT INTO unit VALUES(1)", nullptr, nullptr, nullptr),
      SQLITE_OK);
  sqlite3_close(other);
  const std::string before = read_text(file());
  EXPECT_THAT(open_error(plan_, Fault::kData), HasSubstr("a database of another program"));
  EXPECT_EQ(read_text(file()), before);
}

TEST_F(Run, AFutureFormatIsNotGuessedAt) {
  { const RunStore store(directory_, plan_); }
  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open(file().c_str(), &handle), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(handle, "PRAGMA user_version = 2", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(handle);
  EXPECT_THAT(open_error(plan_, Fault::kData), HasSubstr("run store of format 2"));
}

TEST_F(Run, EveryTruncationIsAnErrorNotACrash) {
  {
    RunStore store(directory_, plan_);
    for (std::size_t trial = 0; trial < 40; ++trial)
      store.put({0, trial, "{\"a\":\"" + std::string(500, 'x') + "\"}", 0});
  }
  const std::string whole = read_text(file());
  ASSERT_GT(whole.size(), 16384U);
  for (std::size_t size = 1; size < whole.size(); size += 1000) {
    std::ofstream(file(), std::ios::trunc | std::ios::binary) << whole.substr(0, size);
    EXPECT_THAT(open_error(plan_, Fault::kData), HasSubstr("choose another --out")) << size;
  }
}

TEST_F(Run, DamagedPagesAreNoticed) {
  {
    RunStore store(directory_, plan_);
    for (std::size_t trial = 0; trial < 40; ++trial)
      store.put({0, trial, "{\"a\":\"" + std::string(500, 'x') + "\"}", 0});
  }
  std::string bytes = read_text(file());
  for (std::size_t i = 100; i < bytes.size(); i += 64) bytes[i] = static_cast<char>(bytes[i] ^ 0x5a);
  std::ofstream(file(), std::ios::trunc | std::ios::binary) << bytes;
  EXPECT_THAT(open_error(plan_, Fault::kData), HasSubstr("choose another --out"));
}

TEST_F(Run, AnUnreadableResultIsNamed) {
  RunStore store(directory_, plan_);
  store.put({2, 1, "{\"a\":", 0});
  try {
    execute(plan_, &store, unit);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kData);
    EXPECT_THAT(error.what(), HasSubstr("cell 2"));
  }
}

TEST_F(Run, AnEmptyFileIsARunKilledEarly) {
  std::ofstream(file()).flush();
  EXPECT_EQ(open_error(plan_, Fault::kData), "(opened)");
}

TEST_F(Run, APlaceThatCannotBeWrittenIsAMachineError) {
  std::ofstream(directory_ / "file") << "x";
  try {
    const RunStore store(directory_ / "file" / "out", plan_);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kIo);
  }
}

TEST_F(Run, PutIsSafeFromManyThreads) {
  RunStore store(directory_, plan_);
  set_thread_count(8);
  parallel_for(200, [&](std::size_t i) { store.put({i / 50, i % 50, "{}", 0.5}); });
  set_thread_count(0);
  const auto units = store.units();
  ASSERT_EQ(units.size(), 200U);
  for (std::size_t i = 0; i < units.size(); ++i) {
    EXPECT_EQ(units[i].cell, i / 50);
    EXPECT_EQ(units[i].trial, i % 50);
    EXPECT_EQ(units[i].seconds, 0.5);
  }
}

}  // namespace
}  // namespace earshot
