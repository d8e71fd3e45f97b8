#include "earshot/attack/inversion/theory_checks.hpp"

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "earshot/attack/inversion/batch_clones.hpp"
#include "earshot/attack/inversion/closed_form.hpp"
#include "earshot/attack/inversion/layer_peeling.hpp"
#include "earshot/core/error.hpp"

namespace earshot {
namespace {

constexpr double kRankTolerance = 1e-13;  // of the largest singular value
constexpr double kSharpest = 3;           // deviation of random logits
constexpr double kRecovered = 1e-6;

Eigen::Index at(std::size_t i) {
  return static_cast<Eigen::Index>(i);
}

void check_sizes(std::size_t classes, std::size_t records) {
  if (records == 0 || records > classes || classes < 2) {
    fail(Fault::kConfig, "a batch of distinct labels has at least one record and at most one of each class");
  }
}

RowMatrixXd random_probabilities(std::size_t records, std::size_t classes, Stream& stream) {
  const double sharpness = kSharpest * stream.uniform();
  RowMatrixXd p(records, classes);
  for (double& entry : p.reshaped()) entry = std::exp(sharpness * stream.normal());
  for (Eigen::Index s = 0; s < p.rows(); ++s) p.row(s) /= p.row(s).sum();
  return p;
}

double relative_error(std::span<const double> found, std::span<const double> truth) {
  const Eigen::Map<const Eigen::VectorXd> a(found.data(), at(found.size()));
  const Eigen::Map<const Eigen::VectorXd> b(truth.data(), at(truth.size()));
  return (a - b).norm() / b.norm();
}

/// Records with labels, and the gradient of their mean loss; the attacker gets only the gradient.
struct Observed {
  std::vector<double> parameters, inputs, targets, gradient;

  Observed(const Model& model, std::span<const std::size_t> labels, Stream& stream)
      : parameters(model.parameter_count()),
        inputs(labels.size() * model.input_size()),
        targets(labels.size() * model.output_size()),
        gradient(parameters.size()) {
    model.initialise(stream, parameters);
    stream.fill_normal(inputs, 1.0);
    for (std::size_t s = 0; s < labels.size(); ++s) targets[s * model.output_size() + labels[s]] = 1;
    model.gradient(parameters, {labels.size(), inputs, targets}, gradient);
  }
};

std::optional<std::vector<double>> recover(const Architecture& architecture, const Model& model,
                                           RecordRoute route, const Observed& seen) {
  if (route == RecordRoute::kWeightsAndPeeling) {
    auto found = closed_form(architecture, model, seen.parameters, seen.gradient, 1);
    if (!found) return std::nullopt;
    return std::move(found->inputs);
  }
  const auto chain = dense_chain(architecture);
  const std::size_t from = route == RecordRoute::kFirstLayer ? 0 : chain.size() - 1;
  const auto known = invert_dense(dense_part(chain[from].place, seen.gradient), DenseFit::kLargestBias);
  if (!known) return std::nullopt;
  return peel(chain, seen.parameters, seen.gradient, from, *known);
}

void check_route(const Architecture& architecture, RecordRoute route) {
  const auto chain = dense_chain(architecture);
  if (chain.empty() || architecture.loss != LossKind::kSoftmaxCrossEntropy) {
    fail(Fault::kConfig, "records are recovered from a chain of dense layers that ends in softmax");
  }
  const bool wanted = route != RecordRoute::kWeightsAndPeeling;
  for (const ChainLayer& layer : chain) {
    if (std::get<Dense>(*layer.place.layer).bias != wanted)
      fail(Fault::kConfig, "a route by biases needs them in every layer, a route by weights in none");
  }
}

}  // namespace

RankCheck check_right_inverses(std::size_t classes, std::size_t records, std::size_t instances,
                               Stream& stream) {
  check_sizes(classes, records);
  RankCheck check{.instances = instances, .least_singular = std::numeric_limits<double>::infinity()};
  for (std::size_t i = 0; i < instances; ++i) {
    const auto labels = stream.sample_without_replacement(records, classes);
    const RowMatrixXd p = random_probabilities(records, classes, stream);
    const RowMatrixXd pi = error_matrix(p, labels);
    const Eigen::VectorXd singular = Eigen::JacobiSVD<Eigen::MatrixXd>(pi).singularValues();
    const double least = singular[at(records) - 1] / singular[0];
    const bool full = least > kRankTolerance;
    const bool dominant = diagonal_dominance(p, labels) > 0;
    const bool below = records < classes;
    check.full_rank += full ? 1 : 0;
    check.dominant += dominant ? 1 : 0;
    check.agreements += full == below && dominant == below ? 1 : 0;
    check.least_singular = std::min(check.least_singular, least);
    if (!full) continue;
    const Eigen::MatrixXd rest = pi * right_inverse(pi) - Eigen::MatrixXd::Identity(at(records), at(records));
    check.worst_error = std::max(check.worst_error, rest.cwiseAbs().maxCoeff());
  }
  return check;
}

ArrangementCheck check_even_batches(std::size_t classes, std::size_t records, std::size_t instances,
                                    Stream& stream) {
  check_sizes(classes, records);
  ArrangementCheck check{.instances = instances};
  for (std::size_t i = 0; i < instances; ++i) {
    const auto labels = stream.sample_without_replacement(records, classes);
    const double fit = 0.01 + 0.98 * stream.uniform();
    RowMatrixXd p =
        RowMatrixXd::Constant(at(records), at(classes), (1 - fit) / static_cast<double>(classes - 1));
    for (std::size_t s = 0; s < records; ++s) p(at(s), at(labels[s])) = fit;
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(error_matrix(p, labels), Eigen::ComputeFullU);
    const Eigen::VectorXd singular = svd.singularValues();
    const auto rank = (singular.array() > kRankTolerance * singular[0]).count();
    // Rows of X - X' are combinations of the left singular vectors without a singular value.
    const Eigen::MatrixXd free = svd.matrixU().rightCols(at(records) - rank);
    const Eigen::MatrixXd uneven = free.rowwise() - free.colwise().mean();
    check.unique += rank == at(records) ? 1 : 0;
    check.same_arrangement += uneven.norm() < 1e-9 ? 1 : 0;
  }
  return check;
}

BatchGradientCheck check_batch_gradients(const Architecture& layer, const Model& model, std::size_t records,
                                         std::size_t instances, Stream& stream) {
  check_sizes(model.output_size(), records + 1);
  if (dense_chain(layer).size() != 1 || layer.loss != LossKind::kSoftmaxCrossEntropy) {
    fail(Fault::kConfig, "the gradient of a batch is taken of one softmax layer");
  }
  BatchGradientCheck check{.instances = instances};
  for (std::size_t i = 0; i < instances; ++i) {
    const auto labels = stream.sample_without_replacement(records, model.output_size());
    const Observed seen(model, labels, stream);
    RowMatrixXd p(records, model.output_size());
    model.predict(seen.parameters, records, seen.inputs, {p.data(), records * model.output_size()});
    const RowMatrixXd pi = error_matrix(p, labels);
    const Eigen::Map<const RowMatrixXd> inputs(seen.inputs.data(), at(records), at(model.input_size()));
    const RowMatrixXd gradient = first_dense(layer, seen.gradient)->matrix().transpose();  // n x m
    const double k = static_cast<double>(records);
    const RowMatrixXd expected = inputs.transpose() * pi / k;
    const RowMatrixXd found = (k * gradient * right_inverse(pi)).transpose();
    check.gradient_error = std::max(check.gradient_error, (gradient - expected).norm() / gradient.norm());
    check.record_error = std::max(check.record_error, (found - inputs).norm() / inputs.norm());
  }
  return check;
}

RecordCheck check_records(const Architecture& architecture, const Model& model, RecordRoute route,
                          std::size_t instances, Stream& stream) {
  check_route(architecture, route);
  RecordCheck check{.instances = instances};
  for (std::size_t i = 0; i < instances; ++i) {
    const std::size_t label = stream.below(model.output_size());
    const Observed seen(model, {&label, 1}, stream);
    if (first_dense(architecture, seen.gradient)->matrix().isZero(0)) {
      ++check.silent;
      continue;
    }
    const auto found = recover(architecture, model, route, seen);
    if (!found) continue;
    const double error = relative_error(*found, seen.inputs);
    if (!(error < kRecovered)) continue;
    ++check.recovered;
    check.worst_error = std::max(check.worst_error, error);
  }
  return check;
}

}  // namespace earshot
