// Private images on nodes: who gets which, and how a reconstruction of one is scored and shown.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "earshot/core/json.hpp"
#include "earshot/data/images/image_dataset.hpp"
#include "earshot/pipeline/stage.hpp"

namespace earshot {

/// A dataset in memory with what every trial needs of it.
struct LoadedImages {
  ImageDataset dataset;
  std::vector<double> mean;  // the mean image, normalised
};
LoadedImages load_images(const Choice& choice, const std::filesystem::path& data_directory);

/// One private image per node, and held-out ones to measure the learnt model on. All images are normalised.
struct PrivateImages {
  std::vector<std::vector<double>> by_node;
  std::vector<std::size_t> labels;
  std::vector<double> held_out;  // flat
  std::vector<std::size_t> held_out_labels;
};
PrivateImages deal_images(const LoadedImages& images, std::size_t nodes, const TrialAddress& address);

inline constexpr std::size_t kHeldOutImages = 1000;

/// The columns score_row fills: psnr, ssim, mse, relative_error and the psnr of guessing without listening.
/// PSNR, MSE and relative error are on normalised pixels with range 1 (as in the public code of El Mrini et
/// al. 2024), where the zero guess scores about 0 dB; on pixels in [0, 1] a black image would already score
/// 10 dB on MNIST. SSIM is on [0, 1].
std::vector<std::string> score_columns();
/// A missing or non-finite guess is scored as the zero guess: the attacker learnt nothing.
Json score_row(const LoadedImages& images, std::span<const double> truth, std::span<const double> guess);
/// PSNR of the guess under the same rule.
double image_psnr(std::span<const double> truth, std::span<const double> guess);

/// Base64 PNG of a normalised image, clamped to what can be shown.
std::string image_text(const LoadedImages& images, std::span<const double> normalised);

}  // namespace earshot
