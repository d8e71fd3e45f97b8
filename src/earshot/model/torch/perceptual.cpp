#include "earshot/model/torch/perceptual.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/core/random.hpp"
#include "earshot/model/torch/script.hpp"
#include "earshot/model/torch/tensors.hpp"

namespace earshot {
namespace {

using torch::Tensor;

constexpr Shape kProbe{3, 64, 64};
constexpr double kZero = 1e-4;  // of the distance of two different pictures

/// The precision of the file's own numbers; of a module without any, that of most.
torch::Dtype precision_of(const torch::jit::Module& module) {
  torch::Dtype found = torch::kFloat32;
  const auto look = [&](const Tensor& tensor) {
    if (!tensor.is_floating_point()) return;
    found = tensor.scalar_type();
    if (!is_supported(found)) {
      fail(Fault::kData,
           fmt::format("it has numbers of type {}; convert the module with .float() or .double()",
                       c10::toString(found)));
    }
  };
  for (const Tensor& tensor : module.parameters()) look(tensor);
  for (const Tensor& tensor : module.buffers()) look(tensor);
  return found;
}

void check_image(std::span<const double> image, const Shape& shape) {
  if (image.size() != shape.size() || image.empty())
    fail(Fault::kConfig, fmt::format("an image of {} x {} x {} needs {} values, not {}", shape.channels,
                                     shape.height, shape.width, shape.size(), image.size()));
  if (!std::ranges::all_of(image, [](double value) { return std::isfinite(value); }))
    fail(Fault::kData, "a perceptual distance needs finite pixels");
}

class ScriptDistance : public PerceptualDistance {
 public:
  ScriptDistance(torch::jit::Module module, std::string name)
      : module_(std::move(module)), name_(std::move(name)), precision_(precision_of(module_)) {}

  double distance(std::span<const double> truth, std::span<const double> guess, const Shape& shape,
                  double range) const override {
    if (shape.channels != 1 && shape.channels != 3)
      fail(Fault::kConfig,
           fmt::format("a perceptual distance is of grey or RGB images, not of {} channels", shape.channels));
    if (!(range > 0) || !std::isfinite(range))
      fail(Fault::kConfig, fmt::format("the range of pixels must be positive, not {}", range));
    check_image(truth, shape);
    check_image(guess, shape);
    return in_torch(Fault::kData, name_ + " cannot compare these images",
                    [&] { return compare(picture(truth, shape, range), picture(guess, shape, range)); });
  }

 private:
  /// 1 x 3 x height x width, from [0, range] to [-1, 1].
  Tensor picture(std::span<const double> image, const Shape& shape, double range) const {
    const Tensor values = to_tensor<double>(
        image, {1, signed_size(shape.channels), signed_size(shape.height), signed_size(shape.width)});
    return (values.clamp(0, range) * (2 / range) - 1).expand({-1, 3, -1, -1}).contiguous().to(precision_);
  }

  double compare(const Tensor& a, const Tensor& b) const {
    const torch::NoGradGuard no_graph;
    const std::lock_guard lock(one_at_a_time_);  // a module may keep what it computed
    const torch::jit::IValue result = module_.forward({a, b});
    if (!result.isTensor())
      fail(Fault::kData,
           fmt::format("{}: forward gives a {}, expected one tensor of distances", name_, result.tagKind()));
    const Tensor out = result.toTensor();
    if (out.numel() != 1 || !out.is_floating_point()) {
      fail(Fault::kData, fmt::format("{}: forward gives {} numbers of type {} for one pair of pictures, "
                                     "expected one distance",
                                     name_, out.numel(), c10::toString(out.scalar_type())));
    }
    const double distance = out.to(torch::kFloat64).item<double>();
    if (!std::isfinite(distance) || distance < -kZero)
      fail(Fault::kData, fmt::format("{}: forward gives {}, which is no distance", name_, distance));
    return std::max(distance, 0.0);
  }

  mutable torch::jit::Module module_;
  std::string name_;
  torch::Dtype precision_;
  mutable std::mutex one_at_a_time_;
};

/// Two random pictures: what a similarity, a network of one picture or a random module gets wrong.
void check_distance(const PerceptualDistance& perceptual) {
  Stream stream({.purpose = Purpose::kTest});
  std::vector<double> a(kProbe.size()), b(kProbe.size());
  for (double& value : a) value = stream.uniform();
  for (double& value : b) value = stream.uniform();
  const double apart = perceptual.distance(a, b, kProbe, 1);
  if (perceptual.distance(a, b, kProbe, 1) != apart)
    fail(Fault::kData, "forward gives different distances for the same pictures; leave out what is random");
  if (apart == 0) fail(Fault::kData, "forward gives the distance 0 for two different pictures");
  const double itself = perceptual.distance(a, a, kProbe, 1);
  if (itself > kZero * apart)
    fail(Fault::kData, fmt::format("forward gives {} for two equal pictures and {} for two different ones: a "
                                   "distance gives 0 for equal ones",
                                   itself, apart));
}

}  // namespace

std::unique_ptr<PerceptualDistance> load_perceptual_script(const std::filesystem::path& path) {
  return with_context(path.string(), [&] {
    auto perceptual = std::make_unique<ScriptDistance>(load_checked_module(path), path.filename().string());
    check_distance(*perceptual);
    return std::unique_ptr<PerceptualDistance>(std::move(perceptual));
  });
}

}  // namespace earshot
