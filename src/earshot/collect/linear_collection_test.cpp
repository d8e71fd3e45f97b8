#include "earshot/collect/linear_collection.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/collect/sensitivity.hpp"
#include "earshot/core/error.hpp"
#include "earshot/data/catalogue/test_data.hpp"

namespace earshot {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Mean loss of many releases, per attribute, and what it must be: the squared error of the decoded mean plus
/// the variance that gets through the decoder.
struct Losses {
  double drawn = 0;
  double expected = 0;
};

Losses losses_of(const Collector& collector, const MatrixXd& task, const MatrixXd& released,
                 const NoiseRule& rule, std::uint64_t draws) {
  const Task net{DenseNet(task, VectorXd::Zero(task.rows())), Loss::kMeanSquared};
  const Records records{released, task * released};
  Losses out;
  for (std::uint64_t draw = 0; draw < draws; ++draw) {
    Stream stream({1, Purpose::kTest, 0, 0, draw});
    out.drawn += release(collector, net, records, collector.sensitivity, rule, stream).loss /
                 static_cast<double>(draws);
  }
  const MatrixXd error = task * (collector.decoder(collector.encode(released)) - released);
  out.expected = (error.squaredNorm() / static_cast<double>(released.cols()) +
                  laplace_variance(collector.sensitivity, rule) *
                      (task * MatrixXd(collector.decoder.weights(0))).squaredNorm()) /
                 static_cast<double>(task.rows());
  return out;
}

struct HouseholdRow {
  double epsilon, ball, unaware, blind;
};

TEST(LinearCollection, HouseholdLossesAreThoseOfASeparateComputation) {
  EARSHOT_NEEDS_DATASET("household-power");
  const CollectionData data =
      prepare(load_tabular("household_power", data_directory()), Scaling::kWholeTable, 0.7);
  const MatrixXd task = hours_task(9, 20, 2);
  // Means of five noise draws of another implementation, repeatable to +-0.001.
  const HouseholdRow rows[] = {{1, .0335, .0338, .0338},  {1.5, .0332, .0338, .0337},
                               {3, .0320, .0338, .0333},  {5, .0304, .0335, .0325},
                               {10, .0251, .0326, .0294}, {20, .0223, .0300, .0224},
                               {50, .0149, .0198, .0148}, {100, .0089, .0109, .0130}};
  for (const HouseholdRow& row : rows) {
    const LinearOptions options{{row.epsilon, false}, std::nullopt, 3};
    const auto loss = [&](LinearMethod method) {
      const Collector collector =
          make_linear_collector(method, task, data.train.inputs, data.test.inputs, options);
      return losses_of(collector, task, data.test.inputs, options.noise, 1).expected;
    };
    EXPECT_NEAR(loss(LinearMethod::kAdaptiveBall), row.ball, 0.001) << row.epsilon;
    EXPECT_NEAR(loss(LinearMethod::kTaskUnaware), row.unaware, 0.001) << row.epsilon;
    EXPECT_NEAR(loss(LinearMethod::kPrivacyUnaware), row.blind, 0.001) << row.epsilon;
    EXPECT_LT(loss(LinearMethod::kAdaptive), loss(LinearMethod::kTaskUnaware));
    EXPECT_LT(loss(LinearMethod::kAdaptive), loss(LinearMethod::kPrivacyUnaware));
  }
}

class Methods : public ::testing::TestWithParam<LinearMethod> {
 protected:
  static MatrixXd days(Eigen::Index count, std::uint64_t seed) {
    Stream stream({seed, Purpose::kTest});
    MatrixXd out(4, count);
    for (double& x : out.reshaped()) x = stream.normal();
    out.row(1) += 2 * out.row(0);
    return out;
  }
  MatrixXd task_ = VectorXd{{2, 1, 1, 0.5}}.asDiagonal();
};

TEST_P(Methods, ReleasesCostWhatTheFormulaSays) {
  const MatrixXd training = days(200, 1);
  const MatrixXd released = days(100, 2);
  const LinearOptions options{{8, false}, std::nullopt, 2};
  const Collector collector = make_linear_collector(GetParam(), task_, training, released, options);
  EXPECT_DOUBLE_EQ(collector.sensitivity, l1_diameter(collector.encode(released)));
  // 2000 draws of 100 records: the mean is good to about 0.2 %; 2 % is ten standard errors.
  const Losses losses = losses_of(collector, task_, released, options.noise, 2000);
  EXPECT_NEAR(losses.drawn, losses.expected, 0.02 * losses.expected);
}

TEST_P(Methods, ADomainBoundsEveryInput) {
  const MatrixXd training = days(200, 3);
  for (const auto shape : {LatentDomain::Shape::kBox, LatentDomain::Shape::kL1Ball}) {
    const LinearOptions options{{8, false}, DomainRule{shape, 0.95}, 2};
    const Collector collector = make_linear_collector(GetParam(), task_, training, days(10, 4), options);
    EXPECT_LE(l1_diameter(collector.encode(100 * days(300, 5))), collector.sensitivity * (1 + 1e-12));
    EXPECT_DOUBLE_EQ(collector.sensitivity, collector.domain->diameter());
  }
}

INSTANTIATE_TEST_SUITE_P(All, Methods,
                         ::testing::Values(LinearMethod::kAdaptive, LinearMethod::kAdaptiveBall,
                                           LinearMethod::kTaskUnaware, LinearMethod::kPrivacyUnaware));

TEST(LinearCollection, RefusesMoreAxesThanThereAre) {
  const MatrixXd training{{1.0, 2.0, 4.0}, {1.0, 0.0, 3.0}};
  EXPECT_THROW(make_linear_collector(LinearMethod::kPrivacyUnaware, MatrixXd::Identity(2, 2), training,
                                     training, {{1, false}, std::nullopt, 3}),
               Error);
}

}  // namespace
}  // namespace earshot
