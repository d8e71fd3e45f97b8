#include "earshot/pipeline/reconstruction_scores.hpp"

#include <algorithm>
#include <cmath>

#include "earshot/core/files.hpp"
#include "earshot/data/formats/png.hpp"
#include "earshot/metric/reconstruction.hpp"
#include "earshot/metric/rendering.hpp"
#include "earshot/pipeline/rows.hpp"

namespace earshot {
namespace {

bool usable(std::span<const double> record) {
  return std::ranges::all_of(record, [](double x) { return std::abs(x) < 1e140; });
}

std::vector<double> to_pixels(const Examples& examples, std::span<const double> records) {
  std::vector<double> pixels(records.begin(), records.end());
  denormalise(pixels, examples.input(), *examples.pixels());
  return pixels;
}

Json value_or_null(const std::optional<double>& value) {
  return value ? finite_or_null(*value) : Json(nullptr);
}

class Scorer {
 public:
  Scorer(const Examples& examples, const PublicRecords& known, const RecordBatch& truth,
         const RecordBatch& guess, std::span<const double> start, const ReconstructionScoring& scoring)
      : examples_(examples),
        known_(known),
        truth_(truth),
        guess_(guess),
        start_(start),
        scoring_(scoring),
        width_(examples.input().size()),
        count_(truth.inputs.size() / width_),
        outputs_(truth.targets.size() / count_) {
    guess_of_ = match(guess.inputs);
    start_of_ = match(start);
    if (examples.pixels() != nullptr) score_pictures();
  }

  std::vector<RecordScores> scores() const {
    std::vector<RecordScores> all;
    for (std::size_t i = 0; i < count_; ++i) all.push_back(score(i));
    return all;
  }

 private:
  using Matches = std::vector<std::optional<std::size_t>>;

  Matches match(std::span<const double> guesses) const {
    return guesses.empty() ? Matches(count_) : match_batch(truth_.inputs, guesses, width_);
  }

  /// A missing guess is none at all: nothing, as a picture.
  void score_pictures() {
    BatchScoring scoring;
    scoring.threshold = scoring_.success_psnr;
    scoring.detail = scoring_.all_metrics ? ScoreDetail::kFull : ScoreDetail::kBasic;
    std::vector<double> guess = guess_.inputs;
    if (guess.empty()) guess = nothing();
    const std::vector<double> start = start_.empty() ? std::vector<double>() : to_pixels(examples_, start_);
    report_ = score_batch(to_pixels(examples_, truth_.inputs), to_pixels(examples_, guess),
                          clipped(to_pixels(examples_, known_.mean()), 1), start, examples_.input(), scoring);
    if (!guess_.inputs.empty()) guess_of_ = report_->guess_of;
  }
  /// Black pixels.
  std::vector<double> nothing() const {
    std::vector<double> black(width_, 0.0);
    normalise(black, examples_.input(), *examples_.pixels());
    return black;
  }

  std::span<const double> record(std::span<const double> all, std::size_t i) const {
    return all.subspan(i * width_, width_);
  }
  std::span<const double> row(std::span<const double> all, std::size_t i) const {
    return all.subspan(i * outputs_, outputs_);
  }

  std::vector<double> guess_for(std::span<const double> guesses, const Matches& match, std::size_t i) const {
    std::vector<double> zeros(width_, 0.0);
    if (!match[i] || !usable(record(guesses, *match[i]))) return zeros;
    const auto chosen = record(guesses, *match[i]);
    return {chosen.begin(), chosen.end()};
  }

  Json label_correct(std::size_t i) const {
    if (examples_.targets().classes == 0 || guess_.targets.empty() || !guess_of_[i]) return nullptr;
    return class_of(row(truth_.targets, i)) == class_of(row(guess_.targets, *guess_of_[i])) ? 1 : 0;
  }

  /// A record of zeros has no relative error: then nothing but zeros is close.
  bool is_close(std::span<const double> truth, std::span<const double> guess) const {
    const auto relative = relative_error(truth, guess);
    return relative ? *relative < scoring_.success_error : euclidean_distance(truth, guess) == 0;
  }

  RecordScores score(std::size_t i) const {
    const auto truth = record(truth_.inputs, i);
    const std::vector<double> guess = guess_for(guess_.inputs, guess_of_, i);
    const std::vector<double> zeros(width_, 0.0);
    RecordScores out;
    out.guess = guess_of_[i];
    out.columns = {label_correct(i),
                   finite_or_null(euclidean_distance(truth, guess)),
                   value_or_null(relative_error(truth, guess)),
                   finite_or_null(euclidean_distance(truth, zeros)),
                   finite_or_null(euclidean_distance(truth, known_.mean())),
                   start_.empty()
                       ? Json(nullptr)
                       : finite_or_null(euclidean_distance(truth, guess_for(start_, start_of_, i)))};
    out.psnr = report_ ? report_->clipped.records[i].psnr : 0;
    out.success = report_ ? out.psnr > scoring_.success_psnr : is_close(truth, guess);
    out.columns.push_back(out.success ? 1 : 0);
    if (!report_) {
      for (std::size_t k = out.columns.size(); k < reconstruction_columns().size(); ++k)
        out.columns.push_back(nullptr);
      return out;
    }
    add_picture_scores(i, out);
    return out;
  }

  void add_picture_scores(std::size_t i, RecordScores& out) const {
    const Score& score = report_->clipped.records[i];
    for (Json value :
         {Json(score.mse), Json(score.psnr), Json(score.ssim), Json(report_->stretched.records[i].psnr),
          Json(report_->zero.records[i].psnr), Json(report_->mean.records[i].psnr),
          report_->start ? Json(report_->start->records[i].psnr) : Json(nullptr),
          value_or_null(score.ms_ssim), value_or_null(score.fsim), value_or_null(score.gradient_psnr),
          perceptual(i)})
      out.columns.push_back(std::move(value));
  }

  Json perceptual(std::size_t i) const {
    if (scoring_.perceptual == nullptr) return nullptr;
    const std::vector<double> guess =
        guess_of_[i] ? guess_for(guess_.inputs, guess_of_, i) : std::vector<double>(nothing());
    return finite_or_null(scoring_.perceptual->distance(to_pixels(examples_, record(truth_.inputs, i)),
                                                        to_pixels(examples_, guess), examples_.input(), 1));
  }

  const Examples& examples_;
  const PublicRecords& known_;
  const RecordBatch& truth_;
  const RecordBatch& guess_;
  std::span<const double> start_;
  const ReconstructionScoring& scoring_;
  std::size_t width_;
  std::size_t count_;
  std::size_t outputs_;
  Matches guess_of_;
  Matches start_of_;
  std::optional<BatchReport> report_;
};

}  // namespace

std::vector<std::string> reconstruction_columns() {
  return {"label_correct", "error",      "relative_error", "zero_error", "mean_error",     "start_error",
          "success",       "mse",        "psnr",           "ssim",       "stretched_psnr", "zero_psnr",
          "mean_psnr",     "start_psnr", "ms_ssim",        "fsim",       "gradient_psnr",  "perceptual"};
}

std::vector<RecordScores> score_reconstruction(const Examples& examples, const PublicRecords& known,
                                               const RecordBatch& truth, const RecordBatch& guess,
                                               std::span<const double> start,
                                               const ReconstructionScoring& scoring) {
  return Scorer(examples, known, truth, guess, start, scoring).scores();
}

std::string picture(const Examples& examples, std::span<const double> record) {
  if (examples.pixels() == nullptr) return {};
  const std::vector<double> shown =
      usable(record) ? clipped(to_pixels(examples, record), 1) : std::vector<double>(record.size(), 0.0);
  return base64(encode_png(examples.input(), to_bytes(shown)));
}

}  // namespace earshot
