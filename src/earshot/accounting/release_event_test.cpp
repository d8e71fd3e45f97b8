#include "earshot/accounting/release_event.hpp"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/core/error.hpp"
#include "earshot/core/random.hpp"

namespace earshot {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

double positive(Stream& stream) {
  return std::exp(4 * stream.normal());
}

/// A random release; `depth` limits how deep it nests.
ReleasePointer random_release(Stream& stream, int depth) {
  const std::uint64_t kind = stream.below(depth > 0 ? 14 : 10);
  const double u = stream.uniform();
  switch (kind) {
    case 0:
      return make_release(GaussianRelease{positive(stream)});
    case 1:
      return make_release(LaplaceRelease{positive(stream)});
    case 2:
      return make_release(DiscreteGaussianRelease{positive(stream), positive(stream), 1 + stream.below(9)});
    case 3:
      return make_release(DiscreteLaplaceRelease{positive(stream), 1 + stream.below(1000)});
    case 4:
      return make_release(FinitePairRelease{"coin", {u, 1 - u}, {1 - u, u}});
    case 5:
      return make_release(CurveRelease{"own", {0, u, 2}, {0.5, 0.25, u / 8}});
    case 6:
      return make_release(PureRelease{"poll", positive(stream)});
    case 7:
      return make_release(ConcentratedRelease{"sketch", positive(stream)});
    case 8:
      return make_release(MetricRelease{"place", positive(stream), u, "km"});
    case 9:
      return make_release(NotPrivateRelease{"sent \"as is\"\n"});
    case 10:
      return poisson_sampled(1 - u, random_release(stream, depth - 1));
    case 11:
      return make_release(
          SampledWithoutReplacementRelease{100, 1 + stream.below(100), random_release(stream, depth - 1)});
    case 12:
      return repeated(1 + stream.below(1000000), random_release(stream, depth - 1));
    default:
      return make_release(
          ComposedRelease{{random_release(stream, depth - 1), random_release(stream, depth - 1)}});
  }
}

TEST(ReleaseEvent, EveryTreeSurvivesTextExactly) {
  Stream stream({11});
  for (int i = 0; i < 500; ++i) {
    const ReleasePointer release = random_release(stream, 3);
    const std::string text = to_json(*release).dump();
    EXPECT_EQ(to_json(*release_from_json(Json::parse(text))).dump(), text);
    EXPECT_FALSE(describe(*release).empty());
  }
}

TEST(ReleaseEvent, ImpossibleParametersAreRefusedWithASentence) {
  const auto refuses = [](ReleaseEvent::Kind kind, const std::string& sentence) {
    EXPECT_THAT([&] { make_release(kind); }, ThrowsMessage<Error>(HasSubstr(sentence)));
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const ReleasePointer inner = make_release(GaussianRelease{1});
  refuses(GaussianRelease{0}, "a noise multiplier must be positive and finite, not 0");
  refuses(GaussianRelease{nan}, "a noise multiplier must be positive and finite");
  refuses(LaplaceRelease{-1}, "a noise multiplier must be positive and finite, not -1");
  refuses(LaplaceRelease{infinity}, "a noise multiplier must be positive and finite");
  refuses(DiscreteGaussianRelease{1, 0, 1}, "a sensitivity must be positive");
  refuses(DiscreteGaussianRelease{1, 1, 0}, "at least one dimension");
  refuses(DiscreteLaplaceRelease{1, 0}, "at least one step");
  refuses(FinitePairRelease{"x", {0.5, 0.5}, {1}}, "x: p and q must list the same outcomes");
  refuses(FinitePairRelease{"x", {0.5, 0.4}, {0.5, 0.5}}, "x: the probabilities sum to 0.9");
  refuses(FinitePairRelease{"x", {1.5, -0.5}, {0.5, 0.5}}, "must lie in [0, 1]");
  refuses(CurveRelease{"x", {1, 1}, {0.1, 0.1}}, "epsilon rises and delta falls");
  refuses(CurveRelease{"x", {1, 2}, {0.1, 0.2}}, "epsilon rises and delta falls");
  refuses(CurveRelease{"x", {}, {}}, "at least one");
  refuses(PureRelease{"x", -1}, "epsilon must be finite and not negative");
  refuses(ConcentratedRelease{"x", nan}, "rho must be finite");
  refuses(MetricRelease{"x", 1, 0, ""}, "what its distance is");
  refuses(PoissonSampledRelease{0, inner}, "a sampling rate must lie in (0, 1], not 0");
  refuses(PoissonSampledRelease{1.01, inner}, "a sampling rate must lie in (0, 1]");
  refuses(PoissonSampledRelease{0.5, nullptr}, "needs the release");
  refuses(SampledWithoutReplacementRelease{10, 11, inner}, "between 1 and 10 records, not 11");
  refuses(RepeatedRelease{0, inner}, "at least once");
}

TEST(ReleaseEvent, BadTextIsRefusedWithASentence) {
  const auto refuses = [](const char* text, const std::string& sentence) {
    EXPECT_THAT([&] { release_from_json(Json::parse(text)); }, ThrowsMessage<Error>(HasSubstr(sentence)))
        << text;
  };
  refuses("[]", "an object with a text \"kind\"");
  refuses(R"({"kind": "gausian", "noise_multiplier": 1})", "did you mean \"gaussian\"?");
  refuses(R"({"kind": "gaussian"})", "needs a value \"noise_multiplier\"");
  refuses(R"({"kind": "gaussian", "noise_multiplier": "2"})", "\"noise_multiplier\" must be a number");
  refuses(R"({"kind": "gaussian", "noise_multiplier": 2, "sigma": 1})", "a key it does not know");
  refuses(R"({"kind": "repeated", "count": -1, "inner": {"kind": "pure", "name": "", "epsilon": 1}})",
          "not negative");
  std::string deep = R"({"kind": "pure", "name": "", "epsilon": 1})";
  for (int i = 0; i < 30; ++i) deep = R"({"kind": "repeated", "count": 1, "inner": )" + deep + "}";
  refuses(deep.c_str(), "nested deeper than 16 levels");
}

}  // namespace
}  // namespace earshot
