#include "earshot/collect/network.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/collect/test_matrices.hpp"

namespace earshot {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd one_hot(Index classes, Index samples) {
  MatrixXd out = MatrixXd::Zero(classes, samples);
  for (Index i = 0; i < samples; ++i) out(i % classes, i) = 1;
  return out;
}

struct Shape {
  std::vector<std::size_t> widths;
  DenseActivation hidden;
  DenseActivation output;
  Loss loss;
};

class Gradients : public ::testing::TestWithParam<Shape> {
 protected:
  static constexpr Index kSamples = 7;
  static constexpr double kStep = 1e-6;
};

TEST_P(Gradients, EqualCentralDifferences) {
  const Shape& shape = GetParam();
  DenseNet net(shape.widths, shape.hidden, shape.output);
  Stream stream({3, Purpose::kTest});
  net.initialise(stream);
  MatrixXd input = random_matrix(net.input_size(), kSamples, 1);
  const MatrixXd targets = shape.loss == Loss::kCrossEntropy ? one_hot(net.output_size(), kSamples)
                                                             : random_matrix(net.output_size(), kSamples, 2);
  Pass pass(net, kSamples);
  MatrixXd output_gradient(targets.rows(), targets.cols());
  const auto loss = [&] {
    return loss_and_gradient(shape.loss, pass.forward(net, input), targets, output_gradient);
  };
  loss();
  VectorXd parameters(net.parameters().size());
  MatrixXd inputs(input.rows(), input.cols());
  pass.backward(net, input, output_gradient, &parameters, &inputs);
  const auto slope = [&](double& at) {
    const double kept = at;
    at = kept + kStep;
    const double above = loss();
    at = kept - kStep;
    const double below = loss();
    at = kept;
    return (above - below) / (2 * kStep);
  };
  for (Index i = 0; i < parameters.size(); ++i)
    EXPECT_NEAR(parameters[i], slope(net.parameters()[i]), 1e-8) << "parameter " << i;
  for (Index i = 0; i < input.size(); ++i) EXPECT_NEAR(inputs(i), slope(input(i)), 1e-8) << "input " << i;
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, Gradients,
    ::testing::Values(
        Shape{{4, 3}, DenseActivation::kLinear, DenseActivation::kLinear, Loss::kMeanSquared},
        Shape{{4, 6, 2}, DenseActivation::kRelu, DenseActivation::kLinear, Loss::kMeanSquared},
        Shape{{4, 6, 2}, DenseActivation::kRelu, DenseActivation::kRelu, Loss::kMeanSquared},
        Shape{{5, 5, 3}, DenseActivation::kSigmoid, DenseActivation::kLinear, Loss::kCrossEntropy},
        Shape{{3, 4, 4, 2}, DenseActivation::kSigmoid, DenseActivation::kSigmoid, Loss::kCrossEntropy}));

TEST(Network, ComputesWhatItsLayersSay) {
  DenseNet net({2, 2, 1}, DenseActivation::kRelu, DenseActivation::kSigmoid);
  // First layer: rows (1, -1) and (2, 0), bias (0, -1); second: (1, 3), bias 0.5.
  net.parameters() << 1, 2, -1, 0, 0, -1, 1, 3, 0.5;
  const MatrixXd input{{1.0, 0.2}, {3.0, 0.1}};
  const MatrixXd output = net(input);
  const auto sigmoid = [](double z) { return 1 / (1 + std::exp(-z)); };
  EXPECT_NEAR(output(0, 0), sigmoid(0.5 + 3 * 1), 1e-15);    // hidden 0 (cut), 1
  EXPECT_NEAR(output(0, 1), sigmoid(0.5 + 1 * 0.1), 1e-15);  // hidden 0.1, 0 (cut)
}

TEST(Network, CrossEntropyIsStableForLargeOutputs) {
  const MatrixXd outputs{{1000.0}, {-1000.0}};
  const MatrixXd targets{{0.0}, {1.0}};
  MatrixXd gradient(2, 1);
  EXPECT_NEAR(loss_and_gradient(Loss::kCrossEntropy, outputs, targets, gradient), 2000, 1e-9);
  EXPECT_NEAR(gradient(0), 1, 1e-12);
}

TEST(Network, ConstantLossIsVarianceAndEntropy) {
  EXPECT_NEAR(constant_loss(Loss::kMeanSquared, MatrixXd{{1.0, 3.0}}), 1, 1e-15);
  EXPECT_NEAR(constant_loss(Loss::kCrossEntropy, one_hot(2, 10)), std::log(2.0), 1e-15);
  EXPECT_DOUBLE_EQ(
      accuracy(MatrixXd{{2.0, 0.0, 1.0}, {1.0, 1.0, 0.0}}, MatrixXd{{1.0, 0.0, 0.0}, {0.0, 1.0, 1.0}}),
      2.0 / 3);
}

}  // namespace
}  // namespace earshot
