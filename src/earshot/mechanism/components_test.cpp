#include "earshot/mechanism/components.hpp"

#include <cmath>
#include <string_view>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

const MechanismComponent& component(std::string_view name) {
  for (const MechanismComponent& each : mechanism_components()) {
    if (each.schema.name == name) return each;
  }
  throw std::logic_error("no such component");
}

TEST(NoMechanism, SaysThatNothingIsPrivate) {
  const NoMechanism none;
  EXPECT_FALSE(none.statement(1).is_private());
  EXPECT_TRUE(to_json(none.statement(1)).at("epsilon").is_null());
  std::vector<double> value = {1, 2};
  Stream stream({1});
  EXPECT_TRUE(std::holds_alternative<NotPrivateRelease>(none.simulate(value, stream)->kind));
  EXPECT_EQ(value, (std::vector<double>{1, 2}));
}

TEST(MechanismComponents, NoiseIsGivenOrCalibratedButNotBoth) {
  const Json gaussian{{"clip", 1.0}, {"delta", 1e-5}};
  EXPECT_THROW(component("gaussian").make(Settings(gaussian), 1), Error);
  Json both = gaussian;
  both.update({{"epsilon", 1.0}, {"sigma", 1.0}});
  EXPECT_THROW(component("gaussian").make(Settings(both), 1), Error);
  EXPECT_THROW(component("laplace").make(Settings(Json{{"clip", 1.0}}), 1), Error);
}

TEST(MechanismComponents, GivenNoiseIsTheNoiseUsed) {
  const Json gaussian{{"clip", 1.0}, {"delta", 1e-5}, {"sigma", 3.0}};
  EXPECT_EQ(component("gaussian").make(Settings(gaussian), 1)->noise_deviation(5), 3.0);
  const Json laplace{{"clip", 1.0}, {"scale", 3.0}};
  EXPECT_DOUBLE_EQ(component("laplace").make(Settings(laplace), 1)->noise_deviation(5), 3.0 * std::sqrt(2.0));
}

TEST(MechanismComponents, CalibrationIsForTheWholeRun) {
  const Json gaussian{{"clip", 0.5}, {"delta", 1e-5}, {"epsilon", 2.0}};
  EXPECT_NEAR(*component("gaussian").make(Settings(gaussian), 30)->statement(30).epsilon, 2.0, 1e-8);
  const Json laplace{{"clip", 0.5}, {"epsilon", 2.0}};
  EXPECT_NEAR(*component("laplace").make(Settings(laplace), 30)->statement(30).epsilon, 2.0, 1e-12);
}

}  // namespace
}  // namespace earshot
