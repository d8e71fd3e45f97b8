#include "earshot/core/state.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

std::string sample() {
  StateWriter out;
  out.number(7);
  out.reals(std::vector<double>{1.5, -0.0, std::numeric_limits<double>::denorm_min()});
  out.text("a ledger\n");
  out.real(std::nan("3"));
  return out.sealed();
}

TEST(State, ReadsBackEveryBit) {
  const std::string sealed = sample();
  StateReader in(sealed, "x");
  EXPECT_EQ(in.number(), 7U);
  const auto reals = in.reals();
  ASSERT_EQ(reals.size(), 3U);
  EXPECT_TRUE(std::signbit(reals[1]));
  EXPECT_EQ(reals[2], std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(in.text(), "a ledger\n");
  EXPECT_TRUE(std::isnan(in.real()));
  in.finish();
}

TEST(State, NoticesEveryChangedByteAndEveryEnd) {
  const std::string sealed = sample();
  for (std::size_t i = 0; i < sealed.size(); ++i) {
    std::string changed = sealed;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_THROW(StateReader(changed, "x"), Error);
    EXPECT_THROW(StateReader(sealed.substr(0, i), "x"), Error);
  }
}

TEST(State, NoticesAReaderThatLostItsPlace) {
  const std::string sealed = sample();
  EXPECT_THROW(StateReader(sealed, "x").text(), Error);
  EXPECT_THROW(StateReader(sealed, "x").finish(), Error);
  StateReader in(sealed, "x");
  in.number();
  double two[2];
  EXPECT_THROW(in.reals(two), Error);
}

}  // namespace
}  // namespace earshot
