// For tests: TorchScript files written on the spot.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/script.h>
#include <unistd.h>

#include "earshot/core/error.hpp"
#include "earshot/core/files.hpp"
#include "earshot/model/torch/test_engine.hpp"

namespace earshot {

/// A folder of its own, removed in the end.
class ScriptTest : public ::testing::Test {
 protected:
  ScriptTest()
      : folder_(std::filesystem::temp_directory_path() / ("earshot-script-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~ScriptTest() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path save(const torch::jit::Module& module) const {
    const std::filesystem::path path = folder_ / "model.pt";
    module.save(path.string());
    return path;
  }
  std::filesystem::path write(const Bytes& bytes) const {
    const std::filesystem::path path = folder_ / "model.pt";
    write_atomically(path, std::string(bytes.begin(), bytes.end()));
    return path;
  }
  /// What is said of a file while it is opened: one line, bad data.
  template <class Open>
  static std::string refusal_of(Open open) {
    try {
      open();
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::kData) << error.what();
      EXPECT_THAT(error.what(), ::testing::Not(::testing::HasSubstr("\n")));
      return error.what();
    }
    ADD_FAILURE() << "was accepted";
    return "";
  }

  std::filesystem::path folder_;
};

inline torch::Tensor parameter(std::vector<std::int64_t> shape, torch::Dtype dtype = torch::kFloat32) {
  torch::manual_seed(7);
  return torch::randn(shape).to(dtype).requires_grad_();
}

/// Three inputs, five tanh units, two outputs.
inline torch::jit::Module tanh_module() {
  torch::jit::Module module("Net");
  module.register_parameter("w1", parameter({5, 3}), false);
  module.register_parameter("b1", parameter({5}), false);
  module.register_parameter("w2", parameter({2, 5}), false);
  module.register_parameter("b2", parameter({2}), false);
  module.define(
      "def forward(self, x):\n"
      "    h = torch.tanh(torch.linear(x, self.w1, self.b1))\n"
      "    return torch.linear(h, self.w2, self.b2)\n");
  return module;
}
inline Architecture tanh_network(LossKind loss, Reduction reduction = Reduction::kMean) {
  return {"net", {3}, {Dense{5}, Activate{ActivationKind::kTanh}, Dense{2}}, loss, reduction};
}

/// Three inputs, sixteen tanh units, looked at through a fixed warp of the plane they are arranged in, then
/// two outputs. `sampled`: by an operator without second derivative; otherwise by the matrix that does the
/// same.
inline torch::jit::Module warped_module(bool sampled) {
  torch::jit::Module module("Warp");
  module.register_parameter("w1", parameter({16, 3}), false);
  module.register_parameter("w2", parameter({2, 16}), false);
  torch::manual_seed(3);
  const torch::Tensor grid = torch::rand({1, 4, 4, 2}, torch::kFloat64) * 2 - 1;
  module.register_buffer("grid", grid);
  const torch::Tensor units = torch::eye(16, torch::kFloat64).view({16, 1, 4, 4});
  module.register_buffer(
      "matrix", torch::grid_sampler(units, grid.expand({16, -1, -1, -1}), 0, 0, false).view({16, 16}));
  module.define(std::string("def forward(self, x):\n"
                            "    h = torch.tanh(torch.linear(x, self.w1))\n") +
                (sampled ? "    h = h.view([-1, 1, 4, 4])\n"
                           "    g = self.grid.expand([h.size(0), -1, -1, -1])\n"
                           "    h = torch.grid_sampler(h, g, 0, 0, False).flatten(1)\n"
                         : "    h = torch.matmul(h, self.matrix)\n") +
                "    return torch.linear(h, self.w2)\n");
  return module;
}

}  // namespace earshot
