// Whole graph networks: the gradient against differences of the loss, the pullback against differences of
// <r, gradient>, with respect to features, labels and the soft adjacency.
#include <gmock/gmock.h>

#include "earshot/model/native/graph_test_patterns.hpp"
#include "earshot/model/native/native_model.hpp"

namespace earshot {
namespace {

Architecture convolutions() {
  // The first layer narrows, the second widens: both orders of averaging and projecting.
  return {.name = "convolutions",
          .input = {5},
          .layers = {GraphConvolve{2, true}, Activate{ActivationKind::kSigmoid}, GraphConvolve{3, false}}};
}
Architecture convolutions_of_graphs() {
  return {.name = "convolutions of graphs",
          .input = {3},
          .layers = {GraphConvolve{4, false}, Activate{ActivationKind::kTanh}, GraphConvolve{4, true},
                     ReadOut{ReadOutKind::kMean}, Dense{2, true}}};
}
Architecture attentions_of_graphs() {
  return {.name = "attentions of graphs",
          .input = {3},
          .layers = {GraphAttend{2, 3, Join::kConcatenate, true, true}, Activate{ActivationKind::kElu},
                     GraphAttend{2, 4, Join::kAdd, true, true}, Dense{2, true}, ReadOut{ReadOutKind::kMean}},
          .loss = LossKind::kBinaryCrossEntropy};
}

/// Three problems with parameters, features, soft labels and adjacency of their own.
struct Setting {
  explicit Setting(Architecture architecture)
      : model(make_native_model(architecture)),
        pattern(pattern_of(random_graph(6, 0.6, true, 7), {0, 4, 6})),
        evaluation(model->evaluation()) {
    Stream stream({11, Purpose::kTest});
    const std::size_t rows = has_read_out(architecture) ? pattern.graphs() : pattern.nodes;
    parameters = layer_check::random_floats(stream, kCount * model->parameter_count(), 0.5);
    inputs = layer_check::random_floats(stream, kCount * pattern.nodes * model->input_size(), 1);
    direction = layer_check::random_floats(stream, kCount * model->parameter_count(), 1);
    adjacency = soft_values(kCount * pattern.edges(), false, 1);
    targets = soft_values(kCount * rows * model->output_size(), false, 2);
    gradient.resize(parameters.size());
    losses.resize(kCount);
  }

  double loss() {
    evaluate();
    double sum = 0;
    for (const double one : losses) sum += one;
    return sum;
  }
  double slope() {
    evaluate();
    return layer_check::inner(direction, gradient);
  }
  void evaluate() {
    const Problems<double> problems{.count = kCount,
                                    .rows = pattern.nodes,
                                    .parameters = parameters,
                                    .inputs = inputs,
                                    .targets = targets,
                                    .row_weights = {},
                                    .graph = &pattern,
                                    .adjacency = adjacency};
    evaluation->gradients(problems, losses, gradient);
  }

  static constexpr std::size_t kCount = 3;
  std::unique_ptr<Model> model;
  GraphPattern pattern;
  std::unique_ptr<Evaluation<double>> evaluation;
  std::vector<double> parameters, inputs, targets, adjacency, direction, gradient, losses;
};

class GraphNetwork : public ::testing::TestWithParam<Architecture (*)()> {};
INSTANTIATE_TEST_SUITE_P(All, GraphNetwork,
                         ::testing::Values(convolutions, convolutions_of_graphs, attentions_of_graphs));

TEST_P(GraphNetwork, GradientIsTheSlopeOfTheLoss) {
  Setting s(GetParam()());
  s.evaluate();
  const std::vector<double> gradient = s.gradient;
  layer_check::check_slopes(
      s.parameters, gradient, [&] { return s.loss(); }, "gradient");
}

TEST_P(GraphNetwork, PullbackIsTheSlopeOfTheGradient) {
  Setting s(GetParam()());
  std::vector<double> inputs(s.inputs.size()), targets(s.targets.size()), adjacency(s.adjacency.size());
  s.evaluate();
  s.evaluation->pullbacks(s.direction, {inputs, targets, adjacency});
  const auto slope = [&] { return s.slope(); };
  layer_check::check_slopes(s.inputs, inputs, slope, "inputs");
  layer_check::check_slopes(s.targets, targets, slope, "targets");
  layer_check::check_slopes(s.adjacency, adjacency, slope, "adjacency");
}

TEST_P(GraphNetwork, PullbackToTheAdjacencyAloneIsTheSame) {
  Setting s(GetParam()());
  std::vector<double> inputs(s.inputs.size()), expected(s.adjacency.size()), alone(s.adjacency.size(), 9.0);
  s.evaluate();
  s.evaluation->pullbacks(s.direction, {inputs, {}, expected});
  s.evaluation->pullbacks(s.direction, {{}, {}, alone});
  EXPECT_EQ(alone, expected);
}

}  // namespace
}  // namespace earshot
