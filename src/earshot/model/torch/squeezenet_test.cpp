// SqueezeNet 1.1 with its ImageNet weights: both engines against a plain computation of its own.
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "earshot/core/error.hpp"
#include "earshot/core/files.hpp"
#include "earshot/data/catalogue/catalogue.hpp"
#include "earshot/data/catalogue/test_data.hpp"
#include "earshot/model/components.hpp"
#include "earshot/model/native/native_model.hpp"
#include "earshot/model/ncnn_weights.hpp"
#include "earshot/model/torch/test_engine.hpp"

namespace earshot {
namespace {

// A picture of this side: the network averages over whatever is left of it.
constexpr int kSide = 96;
constexpr int kClasses = 1000;

/// Planes of numbers, [channel][y][x].
struct Picture {
  int channels, side;
  std::vector<double> values;
  double at(int c, int y, int x) const {
    const bool inside = y >= 0 && x >= 0 && y < side && x < side;
    return inside ? values[(static_cast<std::size_t>(c) * side + y) * side + x] : 0;
  }
};

/// Reads the file of weights as its description says, number by number, and computes with loops.
class PlainSqueezenet {
 public:
  explicit PlainSqueezenet(Bytes file) : file_(std::move(file)) {}

  std::vector<double> classes(Picture picture) {
    Picture x = pooled(convolved(picture, 64, 3, 2, 0));
    x = fire(fire(x, 16, 64), 16, 64);
    x = pooled(x);
    x = fire(fire(x, 32, 128), 32, 128);
    x = pooled(x);
    x = fire(fire(fire(fire(x, 48, 192), 48, 192), 64, 256), 64, 256);
    x = convolved(x, kClasses, 1, 1, 0);
    EXPECT_EQ(at_, file_.size());
    std::vector<double> means(kClasses, 0.0);
    for (int c = 0; c < kClasses; ++c) {
      for (int i = 0; i < x.side * x.side; ++i)
        means[c] += x.values[c * x.side * x.side + i] / (x.side * x.side);
    }
    return means;
  }

 private:
  double half() {
    const auto bits = static_cast<std::uint16_t>(file_.at(at_) | file_.at(at_ + 1) << 8);
    at_ += 2;
    return Eigen::half_impl::half_to_float(Eigen::half_impl::raw_uint16_to_half(bits));
  }
  double single() {
    float value = 0;
    std::memcpy(&value, &file_.at(at_), 4);
    at_ += 4;
    return value;
  }

  /// With ReLU.
  Picture convolved(const Picture& in, int channels, int kernel, int stride, int padding) {
    at_ += 4;  // the mark of half precision
    std::vector<double> weights(static_cast<std::size_t>(channels) * in.channels * kernel * kernel),
        biases(channels);
    for (double& w : weights) w = half();
    at_ += at_ % 4;
    for (double& b : biases) b = single();
    const int side = (in.side + 2 * padding - kernel) / stride + 1;
    Picture out{channels, side, {}};
    for (int o = 0; o < channels; ++o) {
      for (int y = 0; y < side; ++y) {
        for (int x = 0; x < side; ++x) {
          double sum = biases[o];
          const double* w = &weights[static_cast<std::size_t>(o) * in.channels * kernel * kernel];
          for (int i = 0; i < in.channels; ++i) {
            for (int ky = 0; ky < kernel; ++ky) {
              for (int kx = 0; kx < kernel; ++kx)
                sum += *w++ * in.at(i, y * stride + ky - padding, x * stride + kx - padding);
            }
          }
          out.values.push_back(std::max(sum, 0.0));
        }
      }
    }
    return out;
  }
  /// 3x3 windows of stride 2, the last one cut off if need be. After ReLU, so 0 outside changes nothing.
  static Picture pooled(const Picture& in) {
    Picture out{in.channels, (in.side - 3 + 1) / 2 + 1, {}};
    for (int c = 0; c < in.channels; ++c) {
      for (int y = 0; y < out.side; ++y) {
        for (int x = 0; x < out.side; ++x) {
          double largest = 0;
          for (int i = 0; i < 9; ++i) largest = std::max(largest, in.at(c, 2 * y + i / 3, 2 * x + i % 3));
          out.values.push_back(largest);
        }
      }
    }
    return out;
  }
  Picture fire(const Picture& in, int squeeze, int expand) {
    const Picture narrow = convolved(in, squeeze, 1, 1, 0);
    Picture out = convolved(narrow, expand, 1, 1, 0);
    const Picture wide = convolved(narrow, expand, 3, 1, 1);
    out.values.insert(out.values.end(), wide.values.begin(), wide.values.end());
    out.channels *= 2;
    return out;
  }

  Bytes file_;
  std::size_t at_ = 0;
};

/// Stripes and a disc, as a network sees pictures: of mean about 0 and deviation about 1.
Picture synthetic_picture() {
  Picture picture{3, kSide, {}};
  for (int c = 0; c < 3; ++c) {
    for (int y = 0; y < kSide; ++y) {
      for (int x = 0; x < kSide; ++x) {
        const bool disc = std::hypot(y - 40, x - 55) < 25;
        picture.values.push_back(std::sin(0.3 * x + 0.1 * (c + 1) * y) + (disc ? 1.5 - c : 0));
      }
    }
  }
  return picture;
}

class Squeezenet : public ::testing::Test {
 protected:
  void SetUp() override {
    EARSHOT_NEEDS_DATASET("squeezenet");
    folder_ = data_directory() / "squeezenet";
  }
  std::filesystem::path bin() const { return folder_ / "squeezenet_v1.1.ncnn.bin"; }
  std::vector<NcnnConvolution> convolutions() const {
    return read_ncnn(folder_ / "squeezenet_v1.1.ncnn.param", bin());
  }

  static Architecture architecture(std::size_t classes) {
    for (const ModelComponent& component : model_components()) {
      if (component.schema.name != "squeezenet11") continue;
      std::vector<Problem> problems;
      const Settings settings = validate(
          component.schema, Json::object(), [](std::string_view key) { return std::string(key); }, problems);
      return component.make(settings, {3, kSide, kSide}, classes);
    }
    fail(Fault::kInternal, "no squeezenet11");
  }

  std::filesystem::path folder_;
};

TEST_F(Squeezenet, GivesEveryClassThePlainComputationsValue) {
  const Architecture net = architecture(kClasses);
  ProblemSet set;
  set.target_rows = 1;
  set.parameters.resize(parameter_count(net));
  take_weights(convolutions(), net, set.parameters);
  const Picture picture = synthetic_picture();
  set.inputs = picture.values;
  set.targets.resize(kClasses);
  const std::vector<double> expected = PlainSqueezenet(read_bytes(bin())).classes(picture);
  EXPECT_GT(*std::ranges::max_element(expected), 5);  // some class is seen
  for (const auto& model : {built_engine().make(net), make_native_model(net)}) {
    const std::vector<double> fast = outputs_of<float>(*model, set);
    const std::vector<double> exact = outputs_of<double>(*model, set);
    for (int c = 0; c < kClasses; ++c) {
      EXPECT_NEAR(exact[c], expected[c], 1e-9 * (1 + expected[c])) << c;
      EXPECT_NEAR(fast[c], expected[c], 1e-3 * (0.1 + expected[c])) << c;
    }
  }
}

TEST_F(Squeezenet, TakesAFreshHeadForOtherClasses) {
  const Architecture net = architecture(5);
  ASSERT_EQ(parameter_count(net), 725061U);
  std::vector<double> parameters(parameter_count(net)), fresh(parameter_count(net)), all(1235496);
  Stream stream({1, Purpose::kModelInit});
  initialise(net, stream, fresh);
  parameters = fresh;
  take_weights(convolutions(), net, parameters);
  take_weights(convolutions(), architecture(kClasses), all);
  constexpr std::ptrdiff_t kBody = 722496;
  EXPECT_TRUE(std::equal(all.begin(), all.begin() + kBody, parameters.begin()));
  EXPECT_TRUE(std::equal(fresh.begin() + kBody, fresh.end(), parameters.begin() + kBody));
}

}  // namespace
}  // namespace earshot
