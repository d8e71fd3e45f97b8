#include "earshot/attack/leak/step_choice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

using ::testing::ElementsAre;

TEST(StepChoice, RoundsAreSortedAndEachOnce) {
  EXPECT_THAT(parse_rounds("last", 7), ElementsAre(7));
  EXPECT_THAT(parse_rounds(" 5,1 , last,5", 9), ElementsAre(1, 5, 9));
}

TEST(StepChoice, RefusesWhatIsNoRound) {
  for (const char* nonsense : {"", "0", "1,", ",1", "8", "-1", "one", "1 2", "1.5", "99999999999999999999"})
    EXPECT_THROW(parse_rounds(nonsense, 7), Error) << nonsense;
}

}  // namespace
}  // namespace earshot
