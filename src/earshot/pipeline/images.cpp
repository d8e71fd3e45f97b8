#include "earshot/pipeline/images.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/core/files.hpp"
#include "earshot/data/formats/png.hpp"
#include "earshot/metric/reconstruction.hpp"
#include "earshot/metric/ssim.hpp"
#include "earshot/pipeline/components.hpp"
#include "earshot/pipeline/rows.hpp"

namespace earshot {
namespace {

std::vector<double> normalised_image(const ImageDataset& dataset, std::size_t index) {
  std::vector<double> pixels = to_unit(dataset.image(index));
  normalise(pixels, dataset.shape, dataset.normalisation);
  return pixels;
}

/// The guess, or all zeros when there is none worth scoring.
std::vector<double> usable(std::span<const double> truth, std::span<const double> guess) {
  const bool good = guess.size() == truth.size() && std::all_of(guess.begin(), guess.end(), [](double x) {
                      return std::isfinite(x) && std::abs(x) < 1e150;
                    });
  return good ? std::vector<double>(guess.begin(), guess.end()) : std::vector<double>(truth.size(), 0.0);
}

std::vector<double> shown(const LoadedImages& images, std::span<const double> normalised) {
  std::vector<double> pixels(normalised.begin(), normalised.end());
  denormalise(pixels, images.dataset.shape, images.dataset.normalisation);
  for (double& pixel : pixels) pixel = std::clamp(pixel, 0.0, 1.0);
  return pixels;
}

}  // namespace

LoadedImages load_images(const Choice& choice, const std::filesystem::path& data_directory) {
  LoadedImages images{dataset_component(choice.kind).load(choice.settings, data_directory), {}};
  images.mean = mean_image(images.dataset);
  normalise(images.mean, images.dataset.shape, images.dataset.normalisation);
  return images;
}

PrivateImages deal_images(const LoadedImages& images, std::size_t nodes, const TrialAddress& address) {
  const ImageDataset& dataset = images.dataset;
  if (nodes > dataset.size()) {
    fail(Fault::kConfig,
         fmt::format("the graph has {} nodes but {} only {} images", nodes, dataset.name, dataset.size()));
  }
  Stream stream(address.stream(Purpose::kDataSelection));
  const std::size_t held_out = std::min(kHeldOutImages, dataset.size() - nodes);
  const auto chosen = stream.sample_without_replacement(nodes + held_out, dataset.size());
  PrivateImages out;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    std::vector<double> image = normalised_image(dataset, chosen[i]);
    if (i < nodes) {
      out.by_node.push_back(std::move(image));
      out.labels.push_back(dataset.labels[chosen[i]]);
    } else {
      out.held_out.insert(out.held_out.end(), image.begin(), image.end());
      out.held_out_labels.push_back(dataset.labels[chosen[i]]);
    }
  }
  return out;
}

std::vector<std::string> score_columns() {
  return {"psnr", "ssim", "mse", "relative_error", "zero_psnr", "mean_psnr"};
}

double image_psnr(std::span<const double> truth, std::span<const double> guess) {
  return psnr(truth, usable(truth, guess), 1.0);
}

Json score_row(const LoadedImages& images, std::span<const double> truth, std::span<const double> guess) {
  const std::vector<double> scored = usable(truth, guess);
  const std::vector<double> zero(truth.size(), 0.0);
  const auto relative = relative_error(truth, scored);
  return {image_psnr(truth, scored),
          ssim(shown(images, truth), shown(images, scored), images.dataset.shape, 1.0),
          finite_or_null(mse(truth, scored)),
          relative ? finite_or_null(*relative) : Json(nullptr),
          psnr(truth, zero, 1.0),
          psnr(truth, images.mean, 1.0)};
}

std::string image_text(const LoadedImages& images, std::span<const double> normalised) {
  const std::vector<double> zero(images.dataset.shape.size(), 0.0);
  const std::vector<double> drawable = usable(zero, normalised);
  return base64(encode_png(images.dataset.shape, to_bytes(shown(images, drawable))));
}

}  // namespace earshot
