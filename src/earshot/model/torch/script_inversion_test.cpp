// The search for records through users' TorchScript files.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "earshot/attack/inversion/inversion.hpp"
#include "earshot/model/native/native_model.hpp"
#include "earshot/model/torch/test_scripts.hpp"

namespace earshot {
namespace {

class ScriptInversion : public ScriptTest {};

/// One record's gradient at the file's own parameters.
struct Heard {
  explicit Heard(const Model& model)
      : parameters(model.parameter_count()),
        record(model.input_size()),
        target(model.output_size()),
        gradient(parameters.size()) {
    Stream stream({5, Purpose::kTest});
    model.initialise(stream, parameters);
    stream.fill_normal(record, 1);
    target[1] = 1;
    model.gradient(parameters, {1, record, target}, gradient);
  }
  Observation observation() const { return observe_gradient(parameters, gradient, 1); }
  InversionOptions options() const {
    InversionOptions options;
    options.targets = target;
    options.descent = LbfgsOptions{.iterations = 100};
    options.restarts = 2;
    return options;
  }
  double error(const Inversion& found) const { return distance(found.inputs, record); }
  static double distance(const std::vector<double>& a, const std::vector<double>& b) {
    double most = 0;
    for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
    return most;
  }
  std::vector<double> parameters, record, target, gradient;
};

TEST_F(ScriptInversion, GoesTheSameWayAsThroughTheNativeEngine) {
  const auto script = built_engine().load_script(save(tanh_module()), {.input = {3}});
  const auto native = make_native_model(tanh_network(LossKind::kSoftmaxCrossEntropy));
  const Heard heard(*script);
  InversionOptions options = heard.options();
  options.descent = FirstOrderOptions{.iterations = 40, .rate = 0.05};
  const Inversion by_script = invert(*script, {3}, heard.observation(), options);
  const Inversion by_native = invert(*native, {3}, heard.observation(), options);
  EXPECT_LT(Heard::distance(by_script.inputs, by_native.inputs), 1e-8);
  EXPECT_NEAR(by_script.distance, by_native.distance, 1e-8 * (1 + by_native.distance));
  EXPECT_LT(heard.error(invert(*script, {3}, heard.observation(), heard.options())), 1e-6);
}

TEST_F(ScriptInversion, FindsARecordThroughANetworkWithoutSecondDerivative) {
  const auto model = built_engine().load_script(save(warped_module(true)), {.input = {3}});
  ASSERT_NE(model->pullback_note(), "");
  const Heard heard(*model);
  const Inversion found = invert(*model, {3}, heard.observation(), heard.options());
  EXPECT_LT(found.distance, 1e-8 * found.restarts[found.chosen].start_value);
  EXPECT_LT(heard.error(found), 1e-4);
}

}  // namespace
}  // namespace earshot
