#include "earshot/pipeline/table_scores.hpp"

#include <algorithm>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/attack/tabular/baseline.hpp"
#include "earshot/attack/tabular/test_table.hpp"

namespace earshot {
namespace {

/// The last ten people are held out.
TrainingData people_data() {
  TrainingData data;
  const TabularDataset table = people();
  for (std::size_t i = 0; i < kPeople; ++i)
    (i < kPeople - 10 ? data.parts.train : data.parts.test).push_back(i);
  data.table = std::make_unique<EncodedTable>(
      EncodedTable{table.features, TableEncoder(table, data.parts.train, EncoderOptions{})});
  return data;
}

TEST(TableScores, CellsAreJudgedAfterTheBestPairing) {
  const TrainingData data = people_data();
  const TableJudge judge(data);
  const auto truth = judge.rows(std::vector<std::size_t>{3, 8, 20});
  PooledTable guess;
  for (const std::size_t row : {2, 0, 1})
    guess.cells.insert(guess.cells.end(), truth.begin() + 6 * row, truth.begin() + 6 * (row + 1));
  guess.cells[1] = std::fmod(guess.cells[1] + 1, 5);  // the work of the third person
  guess.entropy.resize(18);
  std::iota(guess.entropy.begin(), guess.entropy.end(), 0.0);
  Stream stream({1, Purpose::kTest});
  const auto cells = judge.judge(truth, guess, 4, stream);
  ASSERT_EQ(cells.size(), 18U);
  for (std::size_t i = 0; i < 18; ++i) {
    EXPECT_EQ(cells[i].column, i % 6);
    EXPECT_EQ(cells[i].truth, truth[i]);
    EXPECT_EQ(cells[i].right, i != 13) << i;
    EXPECT_EQ(cells[i].entropy, static_cast<double>((i + 6) % 18)) << i;  // row 0 was guessed second
  }
  EXPECT_DOUBLE_EQ(shares_of(cells).accuracy, 17.0 / 18);
}

/// Cell by cell, they add up to the baselines of the attack's own library.
TEST(TableScores, BaselinesAreThoseOfTheWholeTable) {
  const TrainingData data = people_data();
  const TableJudge judge(data);
  const auto truth = judge.rows(std::vector<std::size_t>{1, 2, 5, 7});
  Stream one({7, Purpose::kTest}), two({7, Purpose::kTest});
  const auto cells = judge.judge(truth, {truth, std::vector<double>(truth.size())}, 30, one);
  const CellShares shares = shares_of(cells);
  const TableEncoder& encoder = data.table->encoder;
  EXPECT_NEAR(shares.random,
              random_baseline(encoder, data.table->features, data.parts.test, truth, 30, two).mean, 1e-12);
  EXPECT_NEAR(shares.likeliest, prior_baseline(encoder, data.table->features, data.parts.test, truth), 1e-12);
  EXPECT_NEAR(shares.gain(), 1 - std::max(shares.random, shares.likeliest), 1e-12);
}

/// Searches that agree are believed; where they contradict one another, every cell is the likeliest one.
TEST(TableScores, AnInformedAttackerFallsBackOnPublicRows) {
  const TrainingData data = people_data();
  const TableJudge judge(data);
  const auto truth = judge.rows(std::vector<std::size_t>{1, 2, 5, 7});
  std::vector<double> wrong = truth;
  for (std::size_t i = 1; i < wrong.size(); i += 6) wrong[i] = std::fmod(wrong[i] + 1, 5);
  const std::vector<double> sure(truth.size(), -100.0), unsure(truth.size(), 100.0);
  EXPECT_EQ(judge.informed_accuracy(truth, {truth, sure}), 1);
  EXPECT_DOUBLE_EQ(judge.informed_accuracy(truth, {wrong, sure}), 5.0 / 6);
  EXPECT_DOUBLE_EQ(judge.informed_accuracy(truth, {wrong, unsure}),
                   prior_baseline(data.table->encoder, data.table->features, data.parts.test, truth));
}

TEST(TableScores, WordsOfCells) {
  const TrainingData data = people_data();
  const TableJudge judge(data);
  EXPECT_EQ(judge.text(0, 34), "34");
  EXPECT_EQ(judge.text(1, 2), "office");
  EXPECT_EQ(judge.text(2, 34.5), "34.50");
}

TEST(TableScores, TenPartsByConfidence) {
  std::vector<JudgedCell> cells(105);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    cells[i].entropy = static_cast<double>((i * 37) % 105);
    cells[i].right = cells[i].entropy < 50;
  }
  const auto parts = by_confidence(cells);
  ASSERT_EQ(parts.size(), 10U);
  std::size_t all = 0;
  for (const CellShares& part : parts) {
    all += part.cells;
    EXPECT_TRUE(part.cells == 10 || part.cells == 11);
  }
  EXPECT_EQ(all, 105U);
  EXPECT_EQ(parts.front().accuracy, 1);
  EXPECT_EQ(parts.back().accuracy, 0);
  EXPECT_TRUE(std::ranges::is_sorted(parts, {}, &CellShares::entropy));
  EXPECT_EQ(by_confidence(std::span(cells).first(3)).size(), 3U);
  EXPECT_TRUE(by_confidence({}).empty());
}

/// Half of the cells are alike, right in a third of them, and the right ones come first: the parts they fill
/// are all the same.
TEST(TableScores, OrderOfCellsAlikeInConfidenceDoesNotMatter) {
  std::vector<JudgedCell> cells(60);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    cells[i].entropy = i < 33 ? 0 : 1;
    cells[i].right = i < 11;
    cells[i].random = 0.25;
  }
  const auto parts = by_confidence(cells);
  ASSERT_EQ(parts.size(), 10U);
  for (std::size_t k = 0; k < 10; ++k) {
    const double share = k < 5 ? 1.0 / 3 : k == 5 ? 1.0 / 6 : 0;  // half of the sixth are of either kind
    EXPECT_NEAR(parts[k].accuracy, share, 1e-12) << k;
    EXPECT_NEAR(parts[k].random, 0.25, 1e-12);
    EXPECT_EQ(parts[k].cells, 6U);
  }
}

}  // namespace
}  // namespace earshot
