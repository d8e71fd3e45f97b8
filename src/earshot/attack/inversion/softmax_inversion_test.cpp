#include "earshot/attack/inversion/softmax_inversion.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "earshot/model/native/native_model.hpp"

namespace earshot {
namespace {

std::unique_ptr<Model> softmax_regression() {
  Architecture a;
  a.input = Shape{20};
  a.layers = {Dense{5}};
  return make_native_model(a);
}

struct Case {
  std::unique_ptr<Model> model = softmax_regression();
  std::vector<double> parameters = std::vector<double>(105), input = std::vector<double>(20),
                      gradient = parameters;
  std::size_t label = 0;
  explicit Case(std::uint64_t seed) {
    Stream stream({seed, Purpose::kTest});
    model->initialise(stream, parameters);
    stream.fill_normal(input, 1.0);
    label = stream.below(5);
    std::vector<double> target(5, 0.0);
    target[label] = 1;
    model->gradient(parameters, {1, input, target}, gradient);
  }
};

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum);
}

TEST(SoftmaxInversion, RecoversInputAndLabelExactly) {
  for (const auto kind : {SoftmaxInversion::kLargestBias, SoftmaxInversion::kRankOne}) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const Case c(seed);
      const auto found = invert_softmax_gradient(c.gradient, 20, 5, kind);
      ASSERT_TRUE(found);
      EXPECT_EQ(found->label, c.label);
      EXPECT_LT(distance(found->input, c.input), 1e-10);
    }
  }
}

TEST(SoftmaxInversion, RankOneFitSuffersLessFromNoise) {
  double by_bias = 0;
  double by_rank_one = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Case c(seed);
    Stream noise({seed, Purpose::kPrivacyNoise});
    for (double& g : c.gradient) g += 0.02 * noise.normal();
    by_bias +=
        distance(invert_softmax_gradient(c.gradient, 20, 5, SoftmaxInversion::kLargestBias)->input, c.input);
    by_rank_one +=
        distance(invert_softmax_gradient(c.gradient, 20, 5, SoftmaxInversion::kRankOne)->input, c.input);
  }
  EXPECT_LT(by_rank_one, by_bias);
}

TEST(SoftmaxInversion, AFittedRecordRevealsNothing) {
  const std::vector<double> zero(105, 0.0);
  std::vector<double> broken = zero;
  broken[3] = std::nan("");
  for (const auto kind : {SoftmaxInversion::kLargestBias, SoftmaxInversion::kRankOne}) {
    EXPECT_FALSE(invert_softmax_gradient(zero, 20, 5, kind));
    EXPECT_FALSE(invert_softmax_gradient(broken, 20, 5, kind));
  }
}

}  // namespace
}  // namespace earshot
