// A run killed or interrupted half-way and started again gives the bytes of an uninterrupted one.
#include <csignal>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "earshot/core/files.hpp"
#include "program.hpp"

namespace earshot::testing {
namespace {

constexpr const char* kPlan = R"(
name = "resume"
title = "many small units"
seed = 5
trials = 150
[graph]
kind = "erdos_renyi"
nodes = 60
mean_degree = 4.0
[weights]
kind = "metropolis"
[protocol]
kind = "gossip"
rounds = 10
[mechanism]
kind = "none"
[adversary]
kind = "each"
)";

/// Units already in the store, read beside the running program; 0 while there is nothing to read.
int stored_units(const std::filesystem::path& file) {
  sqlite3* database = nullptr;
  int count = 0;
  if (sqlite3_open_v2(file.c_str(), &database, SQLITE_OPEN_READONLY, nullptr) == SQLITE_OK) {
    sqlite3_exec(
        database, "select count(*) from unit",
        [](void* out, int, char** values, char**) {
          *static_cast<int*>(out) = std::atoi(values[0]);
          return 0;
        },
        &count, nullptr);
  }
  sqlite3_close(database);
  return count;
}

class Resume : public ::testing::TestWithParam<int> {};

TEST_P(Resume, GivesTheResultOfAnUninterruptedRunToTheByte) {
  const ScratchDirectory scratch;
  write_atomically(scratch.path() / "plan.toml", kPlan);
  const auto whole = run_program({"run", "plan.toml", "--json", "--out", "whole"}, scratch.path());
  ASSERT_EQ(whole.exit_code, 0) << whole.err;

  // The store is exclusively locked while a run has it open, so progress is judged by the size of its files.
  const auto store = scratch.path() / "stopped" / "run.sqlite";
  const auto bytes = [&] {
    std::uintmax_t sum = 0;
    std::error_code code;
    for (const char* suffix : {"", "-wal"}) {
      const auto size = std::filesystem::file_size(store.string() + suffix, code);
      if (!code) sum += size;
    }
    return sum;
  };
  const auto full = std::filesystem::file_size(scratch.path() / "whole" / "run.sqlite");
  const auto stopped = run_program({"run", "plan.toml", "--json", "--out", "stopped"}, scratch.path(),
                                   {GetParam(), [&] { return bytes() > full / 2; }});
  ASSERT_EQ(stopped.exit_code, GetParam() == SIGKILL ? 128 + SIGKILL : 130) << stopped.err;
  EXPECT_EQ(stopped.out, "");
  if (GetParam() == SIGINT) {
    EXPECT_NE(stopped.err.find("run the same command to go on"), std::string::npos) << stopped.err;
  }
  const int kept = stored_units(store);
  EXPECT_GT(kept, 0);
  EXPECT_LT(kept, 150);

  const auto resumed = run_program({"run", "plan.toml", "--json", "--out", "stopped"}, scratch.path());
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_TRUE(resumed.out == whole.out);
  EXPECT_EQ(resumed.err.find(" 0 reused"), std::string::npos) << resumed.err;
  const auto results = [&](const char* name) { return read_text(scratch.path() / name / "results.json"); };
  EXPECT_TRUE(results("stopped") == results("whole"));
}

INSTANTIATE_TEST_SUITE_P(After, Resume, ::testing::Values(SIGKILL, SIGINT));

}  // namespace
}  // namespace earshot::testing
