#include "earshot/attack/inversion/theory_checks.hpp"

#include <gtest/gtest.h>

#include "earshot/attack/inversion/test_victim.hpp"
#include "earshot/core/error.hpp"

namespace earshot {
namespace {

TEST(TheoryChecks, PiHasARightInverseExactlyBelowTheNumberOfClasses) {
  Stream stream({1, Purpose::kTest});
  for (std::size_t records = 1; records <= 5; ++records) {
    const RankCheck check = check_right_inverses(5, records, 200, stream);
    EXPECT_EQ(check.agreements, 200U);
    EXPECT_EQ(check.full_rank, records < 5 ? 200U : 0U);
    EXPECT_EQ(check.dominant, check.full_rank);
    EXPECT_EQ(check.least_singular > 1e-13, records < 5);
    EXPECT_LT(check.worst_error, 1e-6);
  }
  EXPECT_THROW(check_right_inverses(3, 4, 1, stream), Error);
  EXPECT_THROW(check_right_inverses(3, 0, 1, stream), Error);
}

// Below the number of classes even the batch is unique; with one record of every class the rows of pi sum to
// zero, and what is left is the arrangement, as the thesis says.
TEST(TheoryChecks, AnEvenlyFittedBatchIsUniqueOrKeepsItsArrangement) {
  Stream stream({2, Purpose::kTest});
  for (std::size_t records = 1; records <= 4; ++records) {
    const ArrangementCheck check = check_even_batches(4, records, 50, stream);
    EXPECT_EQ(check.unique, records < 4 ? 50U : 0U);
    EXPECT_EQ(check.same_arrangement, 50U);
  }
}

TEST(TheoryChecks, AMeanGradientGivesItsRecordsOncePiIsKnown) {
  Stream stream({3, Purpose::kTest});
  const Architecture layer = dense_network({7, 5}, ActivationKind::kRelu);
  const auto model = make_native_model(layer);
  for (std::size_t records = 1; records < 5; ++records) {
    const BatchGradientCheck check = check_batch_gradients(layer, *model, records, 50, stream);
    EXPECT_LT(check.gradient_error, 1e-13);
    EXPECT_LT(check.record_error, 1e-10);
    EXPECT_GT(check.record_error, 0);
  }
  EXPECT_THROW(check_batch_gradients(layer, *model, 5, 1, stream), Error);
  const Architecture deep = dense_network({7, 6, 5}, ActivationKind::kRelu);
  EXPECT_THROW(check_batch_gradients(deep, *make_native_model(deep), 2, 1, stream), Error);
}

TEST(TheoryChecks, RecordsOfDeepNetworksAreRecoveredUnlessALayerIsDead) {
  Stream stream({4, Purpose::kTest});
  std::size_t silent = 0;
  for (const RecordRoute route :
       {RecordRoute::kFirstLayer, RecordRoute::kBiasAndPeeling, RecordRoute::kWeightsAndPeeling}) {
    const bool bias = route != RecordRoute::kWeightsAndPeeling;
    for (const std::vector<std::size_t>& sizes :
         {std::vector<std::size_t>{6, 5}, std::vector<std::size_t>{6, 4, 4, 4, 5}}) {
      const Architecture network = dense_network(sizes, ActivationKind::kRelu, bias);
      const RecordCheck check = check_records(network, *make_native_model(network), route, 100, stream);
      EXPECT_EQ(check.failed(), 0U);
      EXPECT_GT(check.recovered, 50U);
      EXPECT_LT(check.worst_error, 1e-7);
      silent += check.silent;
    }
    const Architecture wrong = dense_network({6, 5}, ActivationKind::kRelu, !bias);
    EXPECT_THROW(check_records(wrong, *make_native_model(wrong), route, 1, stream), Error);
  }
  EXPECT_GT(silent, 0U);
}

}  // namespace
}  // namespace earshot
