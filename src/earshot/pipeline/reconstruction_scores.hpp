// What a reconstruction of a batch is worth, record by record, beside guesses that heard nothing.
#pragma once

#include <string>
#include <vector>

#include "earshot/core/json.hpp"
#include "earshot/metric/batch_score.hpp"
#include "earshot/model/perceptual_distance.hpp"
#include "earshot/pipeline/public_records.hpp"
#include "earshot/training/examples.hpp"

namespace earshot {

/// Records and target rows, one after the other; targets may be empty.
struct RecordBatch {
  std::vector<double> inputs;
  std::vector<double> targets;
};

struct RecordScores {
  Json columns;                        // one value for each of reconstruction_columns()
  std::optional<std::size_t> guess{};  // which of the guesses is taken for this record
  double psnr = 0;                     // of pictures
  bool success = false;
};

/// label_correct, error, relative_error, zero_error, mean_error, start_error, success and, of pictures, mse,
/// psnr, ssim, stretched_psnr, zero_psnr, mean_psnr, start_psnr, ms_ssim, fsim, gradient_psnr, perceptual.
/// Errors are Euclidean, in the numbers the model sees; pictures are scored as pixels from 0 to 1, clipped.
std::vector<std::string> reconstruction_columns();

struct ReconstructionScoring {
  double success_psnr = 20;     // a picture above it counts as reconstructed
  double success_error = 0.05;  // so does another record whose relative error is below
  bool all_metrics = false;
  const PerceptualDistance* perceptual = nullptr;  // how different pictures look, where its weights are given
};

/// One entry per true record. `guess` may be empty: then every record scores what zeros score. `start`, where
/// the search began, may be empty.
std::vector<RecordScores> score_reconstruction(const Examples& examples, const PublicRecords& known,
                                               const RecordBatch& truth, const RecordBatch& guess,
                                               std::span<const double> start,
                                               const ReconstructionScoring& scoring);

/// Base64 PNG of a picture in the numbers the model sees; empty for what is no picture.
std::string picture(const Examples& examples, std::span<const double> record);

}  // namespace earshot
