// Pullbacks of models without second derivatives: central differences against exact ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/model/torch/test_scripts.hpp"

namespace earshot {
namespace {

using ::testing::HasSubstr;

class CentralPullback : public ScriptTest {};

constexpr LossKind kLosses[] = {LossKind::kSoftmaxCrossEntropy, LossKind::kBinaryCrossEntropy,
                                LossKind::kMeanSquared};

/// Central differences lose a third of the digits.
template <class Real>
constexpr double kDigits = sizeof(Real) == sizeof(double) ? 1e-8 : 2e-3;

template <class Real>
void expect_same_pullbacks(const Model& model, const Model& exact, const ProblemSet& set) {
  const SetResult a = evaluate(*evaluation_of<Real>(model), set);
  const SetResult e = evaluate(*evaluation_of<Real>(exact), set);
  expect_close(a.losses, e.losses, kAgreement<Real>, "losses");
  expect_close(a.gradients, e.gradients, kAgreement<Real>, "gradients");
  expect_close(a.inputs, e.inputs, kDigits<Real>, "pullback to the inputs");
  expect_close(a.targets, e.targets, kDigits<Real>, "pullback to the targets");
}

TEST_F(CentralPullback, EqualsTheSecondDerivativeWhereThereIsOne) {
  for (const LossKind loss : kLosses) {
    ScriptOptions options{.input = {3}, .loss = loss};
    const auto exact = built_engine().load_script(save(tanh_module()), options);
    options.central_differences = true;
    const auto model = built_engine().load_script(save(tanh_module()), options);
    EXPECT_EQ(exact->pullback_note(), "");
    EXPECT_FALSE(exact->describe().contains("pullback"));
    EXPECT_THAT(model->pullback_note(), HasSubstr("asked for"));
    for (const bool shared : {false, true}) {
      ProblemSet set =
          random_problems(tanh_network(loss), {.count = 3, .rows = 4, .shared = shared, .weights = true});
      expect_same_pullbacks<double>(*model, *exact, set);
      expect_same_pullbacks<float>(*model, *exact, set);
      // Neither the size of the directions nor that of the parameters costs digits.
      for (double& r : set.directions) r *= 1e6;
      for (double& theta : set.parameters) theta *= 0.01;
      expect_same_pullbacks<double>(*model, *exact, set);
    }
  }
}

TEST_F(CentralPullback, IsZeroAlongNothingAndNoNumberAlongNoNumber) {
  const auto model =
      built_engine().load_script(save(tanh_module()), {.input = {3}, .central_differences = true});
  ProblemSet set = random_problems(tanh_network(LossKind::kSoftmaxCrossEntropy), {.rows = 2});
  std::fill(set.directions.begin(), set.directions.end(), 0.0);
  EXPECT_THAT(evaluate(*model->evaluation(), set).inputs, ::testing::Each(0.0));
  set.directions[0] = std::nan("");
  for (const double slope : evaluate(*model->evaluation(), set).inputs) EXPECT_TRUE(std::isnan(slope));
  const ProblemSet moving = random_problems(tanh_network(LossKind::kSoftmaxCrossEntropy), {.rows = 2});
  std::fill(set.parameters.begin(), set.parameters.end(), 0.0);  // no size to take the step from
  set.directions = moving.directions;
  const auto exact = built_engine().load_script(save(tanh_module()), {.input = {3}});
  expect_same_pullbacks<double>(*model, *exact, set);
  const HeldSet<double> held(set);
  auto evaluation = model->evaluation();
  std::vector<double> loss(1), gradient(set.directions.size());
  evaluation->gradients(held.problems, loss, gradient);
  evaluation->pullbacks(held.directions, {});  // nothing is asked for
}

TEST_F(CentralPullback, IsUsedAndToldWhereAnOperatorHasNoSecondDerivative) {
  const Architecture same{"warp", {3}, {Dense{16, false}, Dense{2, false}}};
  const auto exact = built_engine().load_script(save(warped_module(false)), {.input = {3}});
  const auto model = built_engine().load_script(save(warped_module(true)), {.input = {3}});
  EXPECT_EQ(exact->pullback_note(), "");
  EXPECT_EQ(model->pullback_note(),
            "central difference of input gradients: this model offers no second derivative");
  EXPECT_EQ(model->describe()["pullback"], model->pullback_note());
  const ProblemSet set = random_problems(same, {.count = 2, .rows = 3, .weights = true});
  expect_same_pullbacks<double>(*model, *exact, set);
  expect_same_pullbacks<float>(*model, *exact, set);
}

/// The probes do not reach the operator; the first pullback that does finds out, for all evaluations.
TEST_F(CentralPullback, IsFoundOutWhenItIsNeeded) {
  torch::jit::Module module = warped_module(true);
  torch::jit::Module late("Late");
  late.register_module("warp", module);
  late.register_parameter("w", parameter({2, 3}), false);
  late.define(
      "def forward(self, x):\n"
      "    y = torch.linear(x, self.w)\n"
      "    if x.size(0) == 7:\n"
      "        y = y + self.warp.forward(x)\n"
      "    return y\n");
  const auto model = built_engine().load_script(save(late), {.input = {3}});
  EXPECT_EQ(model->pullback_note(), "");
  const Architecture size{"late", {3}, {Dense{18, false}, Dense{2, false}}};
  ProblemSet set = random_problems(size, {.rows = 7});
  set.parameters.resize(model->parameter_count(), 0.3);
  set.directions.resize(model->parameter_count(), 0.2);
  check_derivatives(*model, set, "late");
  EXPECT_NE(model->pullback_note(), "");
}

}  // namespace
}  // namespace earshot
