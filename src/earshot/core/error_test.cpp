#include "earshot/core/error.hpp"

#include <gtest/gtest.h>

namespace earshot {
namespace {

/// Exit codes are an interface; scripts depend on these very numbers.
TEST(Error, ExitCodesAreStable) {
  EXPECT_EQ(exit_code(Fault::kInternal), 1);
  EXPECT_EQ(exit_code(Fault::kUsage), 2);
  EXPECT_EQ(exit_code(Fault::kConfig), 2);
  EXPECT_EQ(exit_code(Fault::kData), 2);
  EXPECT_EQ(exit_code(Fault::kNumeric), 3);
  EXPECT_EQ(exit_code(Fault::kIo), 3);
  EXPECT_EQ(exit_code(Fault::kExpectation), 4);
  EXPECT_EQ(exit_code(Fault::kInterrupted), 130);
}

TEST(Error, ProblemsAreOneLineEach) {
  EXPECT_EQ(to_line({"a.toml:3: graph.kind", "there is no graph \"rng\"", "did you mean \"ring\"?"}),
            "a.toml:3: graph.kind: there is no graph \"rng\"; did you mean \"ring\"?");
  EXPECT_EQ(to_line({"", "why", ""}), "why");
  const PlanError error({{"a", "b", "c"}, {"d", "e", ""}});
  EXPECT_STREQ(error.what(), "a: b; c\nd: e");
  EXPECT_EQ(error.fault(), Fault::kConfig);
  EXPECT_EQ(error.problems().size(), 2U);
}

TEST(Error, ContextGoesInFrontAndKeepsTheKind) {
  try {
    with_context("outer", [] { with_context("inner", [] { fail(Fault::kData, "broken"); }); });
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "outer: inner: broken");
    EXPECT_EQ(error.fault(), Fault::kData);
  }
  EXPECT_EQ(with_context("x", [] { return 7; }), 7);
}

TEST(Error, ContextLeavesPlanErrorsWhole) {
  EXPECT_THROW(with_context("x", [] { throw PlanError({{"a", "b", "c"}}); }), PlanError);
}

}  // namespace
}  // namespace earshot
