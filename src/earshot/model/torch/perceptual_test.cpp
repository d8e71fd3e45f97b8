// Perceptual distances from users' files: a small one against the hand computation, and what is refused.
#include <cmath>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/core/random.hpp"
#include "earshot/model/torch/test_scripts.hpp"

namespace earshot {
namespace {

using ::testing::HasSubstr;

/// Horizontal and vertical differences of each channel: the features of the module below.
constexpr Shape kImage{3, 5, 6};

class Perceptual : public ScriptTest {
 protected:
  /// Weighted mean squared difference of fixed filters' responses, as N x 1 x 1 x 1.
  static torch::jit::Module edges(torch::Dtype dtype = torch::kFloat32) {
    torch::jit::Module module("Edges");
    torch::Tensor filters = torch::zeros({6, 1, 2, 2});
    for (std::int64_t c = 0; c < 3; ++c) {
      filters[2 * c][0][0][0] = -1;
      filters[2 * c][0][0][1] = 1;
      filters[2 * c + 1][0][0][0] = -1;
      filters[2 * c + 1][0][1][0] = 1;
    }
    module.register_buffer("filters", filters.to(dtype));
    module.define(
        "def forward(self, a, b):\n"
        "    f = torch.conv2d(a, self.filters, None, [1, 1], [0, 0], [1, 1], 3)\n"
        "    g = torch.conv2d(b, self.filters, None, [1, 1], [0, 0], [1, 1], 3)\n"
        "    return torch.mean(torch.pow(f - g, 2), [1, 2, 3], True)\n");
    return module;
  }
  static torch::jit::Module with(const std::string& body) {
    torch::jit::Module module("Net");
    module.register_buffer("one", torch::ones({1}));
    module.define("def forward(self, a, b):\n" + body);
    return module;
  }
  std::unique_ptr<PerceptualDistance> open(const torch::jit::Module& module) const {
    return built_engine().load_perceptual_distance(save(module));
  }
  std::string refusal(const torch::jit::Module& module) const {
    return refusal_of([&] { open(module); });
  }
};

std::vector<double> random_image(const Shape& shape, std::uint64_t seed, double range) {
  Stream stream({seed, Purpose::kTest});
  std::vector<double> image(shape.size());
  for (double& value : image) value = range * stream.uniform();
  return image;
}

/// What `edges` computes, by loops; `channel` of the image, or the only one.
double edge_distance(const std::vector<double>& a, const std::vector<double>& b, const Shape& shape,
                     double range) {
  double sum = 0;
  std::size_t count = 0;
  const auto value = [&](const std::vector<double>& image, std::size_t c, std::size_t y, std::size_t x) {
    return 2 * image[(c * shape.height + y) * shape.width + x] / range - 1;
  };
  for (std::size_t c = 0; c < shape.channels; ++c) {
    for (std::size_t y = 0; y + 1 < shape.height; ++y) {
      for (std::size_t x = 0; x + 1 < shape.width; ++x) {
        const double across =
            value(a, c, y, x + 1) - value(a, c, y, x) - value(b, c, y, x + 1) + value(b, c, y, x);
        const double down =
            value(a, c, y + 1, x) - value(a, c, y, x) - value(b, c, y + 1, x) + value(b, c, y, x);
        sum += across * across + down * down;
        count += 2;
      }
    }
  }
  return sum / static_cast<double>(count);
}

TEST_F(Perceptual, IsWhatTheModuleComputes) {
  for (const auto& [dtype, tolerance] :
       {std::pair{torch::kFloat32, 1e-5}, std::pair{torch::kFloat64, 1e-12}}) {
    const auto perceptual = open(edges(dtype));
    for (const double range : {1.0, 255.0}) {
      for (const Shape& shape : {kImage, Shape{1, 9, 4}}) {  // a grey image has three equal channels
        const auto a = random_image(shape, 1, range);
        const auto b = random_image(shape, 2, range);
        const double expected = edge_distance(a, b, shape, range);
        EXPECT_NEAR(perceptual->distance(a, b, shape, range), expected, tolerance * expected);
        EXPECT_EQ(perceptual->distance(a, a, shape, range), 0);
      }
    }
  }
}

TEST_F(Perceptual, CutsOffWhatNoImageHas) {
  const auto perceptual = open(edges());
  auto a = random_image(kImage, 1, 1);
  const auto b = random_image(kImage, 2, 1);
  a[3] = 1;
  const double inside = perceptual->distance(a, b, kImage, 1);
  a[3] = 7.5;
  EXPECT_EQ(perceptual->distance(a, b, kImage, 1), inside);
}

TEST_F(Perceptual, RefusesImagesThatDoNotFit) {
  const auto perceptual = open(edges());
  const auto a = random_image(kImage, 1, 1);
  auto broken = a;
  broken[5] = std::nan("");
  EXPECT_THROW(perceptual->distance(a, broken, kImage, 1), Error);
  EXPECT_THROW(perceptual->distance(a, a, {3, 5, 5}, 1), Error);
  EXPECT_THROW(perceptual->distance(a, a, {2, 5, 9}, 1), Error);
  EXPECT_THROW(perceptual->distance(a, a, kImage, 0), Error);
  const std::vector<double> tiny(3, 0.5);  // smaller than a filter: libtorch's own reason, in one line
  EXPECT_THAT(refusal_of([&] {
                perceptual->distance(tiny, tiny, {3, 1, 1}, 1);
              }),
              HasSubstr("cannot compare"));
}

TEST_F(Perceptual, RefusesModulesThatAreNoDistance) {
  torch::jit::Module one("Net");
  one.define("def forward(self, a):\n    return a.mean()\n");
  EXPECT_THAT(refusal(one), HasSubstr("cannot compare"));
  EXPECT_THAT(refusal(with("    return (a, b)\n")), HasSubstr("one tensor"));
  EXPECT_THAT(refusal(with("    return torch.pow(a - b, 2)\n")), HasSubstr("expected one distance"));
  EXPECT_THAT(refusal(with("    return (a - b).abs().sum().to(4)\n")), HasSubstr("expected one distance"));
  EXPECT_THAT(refusal(with("    return 1.0 - (a - b).abs().mean()\n")), HasSubstr("0 for equal ones"));
  EXPECT_THAT(refusal(with("    return -(a - b).abs().mean()\n")), HasSubstr("no distance"));
  EXPECT_THAT(refusal(with("    return (a - b).abs().mean() / 0.0\n")), HasSubstr("no distance"));
  EXPECT_THAT(refusal(with("    return (a - a).abs().mean()\n")), HasSubstr("two different pictures"));
  EXPECT_THAT(refusal(edges(torch::kHalf)), HasSubstr(".float()"));
  EXPECT_THAT(refusal(with("    self.one += 1.0\n    return self.one.sum() * (a - b).abs().mean()\n")),
              HasSubstr("leave out what is random"));
}

TEST_F(Perceptual, RefusesFilesThatAreNoneOrReachOutside) {
  EXPECT_THAT(refusal_of([&] { built_engine().load_perceptual_distance(write(Bytes(100, 'x'))); }),
              HasSubstr("no TorchScript file"));
  EXPECT_THAT(refusal_of([&] { built_engine().load_perceptual_distance(folder_ / "absent.pt"); }),
              HasSubstr("absent.pt"));
  EXPECT_THAT(refusal(with("    print(a)\n    return (a - b).abs().mean()\n")), HasSubstr("prim::Print"));
}

}  // namespace
}  // namespace earshot
