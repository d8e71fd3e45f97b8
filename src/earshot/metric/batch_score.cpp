#include "earshot/metric/batch_score.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/metric/matching.hpp"
#include "earshot/metric/rendering.hpp"

namespace earshot {
namespace {

using Guesses = std::vector<std::optional<std::size_t>>;
using Render = std::vector<double> (*)(std::span<const double>, double);

/// Records of equal size, one after another.
class Records {
 public:
  Records(std::span<const double> values, std::size_t size) : values_(values), size_(size) {
    if (size == 0 || values.size() % size != 0)
      fail(Fault::kInternal, fmt::format("{} values are no whole records of {}", values.size(), size));
  }
  std::size_t count() const { return values_.size() / size_; }
  std::span<const double> operator[](std::size_t index) const {
    return values_.subspan(index * size_, size_);
  }

 private:
  std::span<const double> values_;
  std::size_t size_;
};

bool usable(std::span<const double> record) {
  return std::all_of(record.begin(), record.end(), [](double value) { return std::abs(value) < 1e140; });
}

/// `rendered` gives the guess for a record as it is to be scored.
BatchScore scores(const Records& truth, const ImageShape& shape, const BatchScoring& scoring,
                  const std::function<std::vector<double>(std::size_t)>& rendered) {
  BatchScore out;
  std::vector<double> errors;
  std::vector<double> ratios;
  std::vector<double> similarities;
  std::vector<double> distances;
  for (std::size_t record = 0; record < truth.count(); ++record) {
    const std::vector<double> guess = rendered(record);
    const Score one = score(truth[record], guess, shape, scoring.range, scoring.detail);
    errors.push_back(one.mse);
    ratios.push_back(one.psnr);
    similarities.push_back(one.ssim);
    distances.push_back(euclidean_distance(truth[record], guess));
    out.records.push_back(one);
  }
  out.mse = summarise(errors);
  out.psnr = summarise(ratios);
  out.ssim = summarise(similarities);
  out.distance = summarise(distances);
  const auto above =
      std::count_if(ratios.begin(), ratios.end(), [&](double ratio) { return ratio > scoring.threshold; });
  out.above = static_cast<double>(above) / static_cast<double>(ratios.size());
  return out;
}

BatchScore matched_scores(const Records& truth, const Records& guess, const Guesses& guess_of, Render render,
                          const ImageShape& shape, const BatchScoring& scoring) {
  return scores(truth, shape, scoring, [&](std::size_t record) {
    return guess_of[record] ? render(guess[*guess_of[record]], scoring.range)
                            : std::vector<double>(shape.size(), 0.0);
  });
}

/// Clipped first: a guess far outside the range must not decide who gets which guess.
std::vector<double> clipped_batch(const Records& guesses, double range) {
  std::vector<double> out;
  for (std::size_t i = 0; i < guesses.count(); ++i) {
    const std::vector<double> image = usable(guesses[i])
                                          ? clipped(guesses[i], range)
                                          : std::vector<double>(guesses[i].begin(), guesses[i].end());
    out.insert(out.end(), image.begin(), image.end());
  }
  return out;
}

void check(const Records& truth, std::span<const double> mean_image, const ImageShape& shape,
           const BatchScoring& scoring) {
  if (truth.count() == 0 || mean_image.size() != shape.size()) {
    fail(Fault::kInternal, fmt::format("a batch of {} records with a mean image of {} values, not {}",
                                       truth.count(), mean_image.size(), shape.size()));
  }
  if (std::isnan(scoring.threshold)) fail(Fault::kInternal, "the PSNR of success is not a number");
}

}  // namespace

std::vector<std::optional<std::size_t>> match_batch(std::span<const double> truth,
                                                    std::span<const double> guess, std::size_t record_size) {
  const Records records(truth, record_size);
  const Records guesses(guess, record_size);
  std::vector<std::size_t> candidates;
  for (std::size_t i = 0; i < guesses.count(); ++i) {
    if (usable(guesses[i])) candidates.push_back(i);
  }
  std::vector<double> cost;
  cost.reserve(records.count() * candidates.size());
  for (std::size_t record = 0; record < records.count(); ++record) {
    for (const std::size_t candidate : candidates) cost.push_back(mse(records[record], guesses[candidate]));
  }
  Guesses out = optimal_matching(cost, records.count(), candidates.size()).column_of;
  for (auto& match : out) {
    if (match) match = candidates[*match];
  }
  return out;
}

BatchReport score_batch(std::span<const double> truth, std::span<const double> guess,
                        std::span<const double> mean_image, std::span<const double> start,
                        const ImageShape& shape, const BatchScoring& scoring) {
  const Records records(truth, shape.size());
  const Records guesses(guess, shape.size());
  check(records, mean_image, shape, scoring);
  const auto match = [&](const Records& candidates) {
    return match_batch(truth, clipped_batch(candidates, scoring.range), shape.size());
  };
  BatchReport out;
  out.guess_of = match(guesses);
  for (std::size_t i = 0; i < guesses.count(); ++i) out.not_finite += usable(guesses[i]) ? 0 : 1;
  out.clipped = matched_scores(records, guesses, out.guess_of, clipped, shape, scoring);
  out.stretched = matched_scores(records, guesses, out.guess_of, stretched, shape, scoring);
  out.zero =
      scores(records, shape, scoring, [&](std::size_t) { return std::vector<double>(shape.size(), 0.0); });
  out.mean = scores(records, shape, scoring,
                    [&](std::size_t) { return std::vector<double>(mean_image.begin(), mean_image.end()); });
  if (!start.empty()) {
    const Records starts(start, shape.size());
    out.start = matched_scores(records, starts, match(starts), clipped, shape, scoring);
  }
  return out;
}

}  // namespace earshot
