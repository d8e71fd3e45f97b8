// Users' TorchScript files: the honest ones against the native engine, the others for their one sentence.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/script.h>

#include "earshot/core/error.hpp"
#include "earshot/core/files.hpp"
#include "earshot/model/native/native_model.hpp"
#include "earshot/model/torch/test_engine.hpp"
#include "earshot/model/torch/test_scripts.hpp"
#include "source_dir.hpp"

namespace earshot {
namespace {

using ::testing::HasSubstr;

class TorchScript : public ScriptTest {
 protected:
  static std::string refusal(const std::filesystem::path& path, ScriptOptions options = {.input = {3}}) {
    return refusal_of([&] { built_engine().load_script(path, options); });
  }
};

/// A dense layer of three inputs and two outputs with this forward.
torch::jit::Module module_with(const std::string& forward, torch::Dtype dtype = torch::kFloat32) {
  torch::jit::Module module("Net");
  module.register_parameter("w", parameter({2, 3}, dtype), false);
  module.register_parameter("b", parameter({2}, dtype), false);
  module.register_attribute("training", c10::BoolType::get(), true);
  module.define(forward);
  return module;
}
const std::string kLinear = "def forward(self, x):\n    return torch.linear(x, self.w, self.b)\n";

TEST_F(TorchScript, AgreesWithTheNativeEngine) {
  const torch::jit::Module module = tanh_module();
  for (const LossKind loss :
       {LossKind::kSoftmaxCrossEntropy, LossKind::kBinaryCrossEntropy, LossKind::kMeanSquared}) {
    const Architecture net = tanh_network(loss, Reduction::kSum);
    const auto script = built_engine().load_script(save(module), {{3}, 0, loss, Reduction::kSum});
    const auto native = make_native_model(net);
    ASSERT_EQ(script->parameter_count(), native->parameter_count());
    EXPECT_EQ(script->output_size(), 2U);
    const ProblemSet set = random_problems(net, {.count = 3, .rows = 4, .weights = true});
    expect_same_derivatives<double>(*script, *native, set, "double");
    expect_same_derivatives<float>(*script, *native, set, "float");
    expect_same_clipping<double>(*script, *native, set, 0.5, "double");
    expect_same_clipping<float>(*script, *native, set, 0.5, "float");
  }
}

TEST_F(TorchScript, StartsFromTheFilesParameters) {
  const auto model = built_engine().load_script(save(module_with(kLinear)), {.input = {3}});
  std::vector<double> start(model->parameter_count());
  Stream stream({1, Purpose::kModelInit});
  model->initialise(stream, start);
  const torch::Tensor weights = parameter({2, 3}).detach().to(torch::kFloat64).contiguous();
  EXPECT_EQ(std::vector<double>(start.begin(), start.begin() + 6),
            std::vector<double>(weights.data_ptr<double>(), weights.data_ptr<double>() + 6));
  EXPECT_EQ(model->describe()["parameters"][0]["name"], "w");
}

/// Submodules, buffers of another type, a frozen parameter and a tied one; pictures come as N x c x h x w.
TEST_F(TorchScript, TakesModulesAsPeopleWriteThem) {
  torch::jit::Module inner("Inner");
  const torch::Tensor tied = parameter({3, 4});
  inner.register_parameter("w", tied, false);
  inner.define("def forward(self, x):\n    return torch.linear(x, self.w)\n");
  torch::jit::Module module("Outer");
  module.register_module("inner", inner);
  module.register_parameter("again", tied, false);
  module.register_parameter("frozen", torch::ones({3}), false);
  module.register_parameter("scale", torch::ones({3}), true);
  module.register_parameter("count", torch::ones({1}, torch::kInt64), true);
  module.define(
      "def forward(self, x):\n"
      "    h = self.inner.forward(x.flatten(1))\n"
      "    return (h + torch.linear(x.sum(1).flatten(1), self.again)) * self.scale * self.frozen\n");
  const auto model = built_engine().load_script(save(module), {.input = {1, 2, 2}});
  EXPECT_EQ(model->parameter_count(), 12U);
  const Architecture twice{"net", {1, 2, 2}, {Parallel{Join::kAdd, {{Dense{3, false}}, {Dense{3, false}}}}}};
  ProblemSet set = random_problems(twice, {.rows = 3});
  set.directions.resize(12);
  set.parameters.resize(12);
  check_derivatives(*model, set, "tied");
  ProblemSet both = set;
  both.parameters.insert(both.parameters.end(), set.parameters.begin(), set.parameters.end());
  expect_close(outputs_of<double>(*model, set), outputs_of<double>(*make_native_model(twice), both), 1e-12,
               "tied");
}

TEST_F(TorchScript, RefusesFilesThatAreNotTorchScript) {
  const Bytes whole = read_bytes(save(module_with(kLinear)));
  EXPECT_THAT(refusal(write({})), HasSubstr("no TorchScript file"));
  EXPECT_THAT(refusal(write(Bytes(1000, 'x'))), HasSubstr("no TorchScript file"));
  for (std::size_t size = 1; size < whole.size(); size += 97)
    refusal(write(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size))));
  EXPECT_THAT(refusal(EARSHOT_SOURCE_DIR "/tests/corpus/torch_script/bad-checkpoint"),
              HasSubstr("checkpoint"));
  EXPECT_THAT(refusal(folder_ / "absent.pt"), HasSubstr("absent.pt"));
}

/// One byte at a time: a damaged file is refused, or the byte was one nobody reads.
TEST_F(TorchScript, NoticesDamage) {
  const Bytes whole = read_bytes(save(module_with(kLinear)));
  std::size_t accepted = 0;
  for (std::size_t at = 0; at < whole.size(); at += 23) {
    Bytes damaged = whole;
    damaged[at] ^= 0x10;
    try {
      built_engine().load_script(write(damaged), {.input = {3}});
      ++accepted;
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::kData) << error.what();
    }
  }
  EXPECT_LT(accepted, whole.size() / 23 / 2);  // padding between members and their dates
}

TEST_F(TorchScript, RefusesWrongShapesAndTypes) {
  EXPECT_THAT(refusal(save(module_with(kLinear)), {.input = {4}}), HasSubstr("cannot be evaluated"));
  EXPECT_THAT(refusal(save(module_with(kLinear)), {.input = {3}, .outputs = 5}), HasSubstr("expected 1 x 5"));
  EXPECT_THAT(refusal(save(module_with("def forward(self, x):\n    return (x @ self.w.t()).sum(1)\n"))),
              HasSubstr("forward gives"));
  EXPECT_THAT(refusal(save(module_with("def forward(self, x):\n    return (x @ self.w.t()).sum(0, True)\n"))),
              HasSubstr("for 3 records"));
  EXPECT_THAT(
      refusal(save(module_with("def forward(self, x):\n    return (x @ self.w.t()).argmax(1, True)\n"))),
      HasSubstr("type Long"));
  EXPECT_THAT(refusal(save(module_with("def forward(self, x):\n    return (x @ self.w.t(), x)\n"))),
              HasSubstr("expected one tensor"));
  EXPECT_THAT(refusal(save(module_with(kLinear, torch::kHalf))), HasSubstr(".float()"));
  EXPECT_THAT(refusal(save(module_with("def forward(self, x):\n    return x.view(4, -1) @ self.w.t()\n"))),
              HasSubstr("cannot be evaluated"));
}

TEST_F(TorchScript, RefusesWhatCannotBeDifferentiated) {
  EXPECT_THAT(refusal(save(module_with("def forward(self, x):\n    return x * 2\n"))),
              HasSubstr("do not depend"));
  EXPECT_THAT(refusal(save(module_with("def forward(self, x):\n    return (x @ self.w.t()).detach()\n"))),
              HasSubstr("do not depend"));
  torch::jit::Module empty("Net");
  empty.define("def forward(self, x):\n    return x\n");
  EXPECT_THAT(refusal(save(empty)), HasSubstr("no parameter"));
  torch::jit::Module not_finite = module_with(kLinear);
  not_finite.setattr("b", torch::full({2}, std::nan("")).requires_grad_());
  EXPECT_THAT(refusal(save(not_finite)), HasSubstr("not a finite number"));
}

TEST_F(TorchScript, RefusesForwardsThatFail) {
  EXPECT_THAT(
      refusal(save(module_with(
          "def forward(self, x):\n    assert x.size(0) > 9, 'out of tea'\n    return x @ self.w.t()\n"))),
      HasSubstr("out of tea"));
  torch::jit::Module none("Net");
  none.register_parameter("w", parameter({2, 3}), false);
  none.define("def predict(self, x):\n    return x @ self.w.t()\n");
  EXPECT_THAT(refusal(save(none)), HasSubstr("forward"));
  EXPECT_THAT(refusal(save(module_with("def forward(self, x, y):\n    return x @ self.w.t() + y\n"))),
              HasSubstr("cannot be evaluated"));
}

TEST_F(TorchScript, RefusesOperatorsThatReachOutside) {
  const std::filesystem::path target = folder_ / "written";
  const auto with = [&](const std::string& line) {
    return save(
        module_with("def forward(self, x):\n    " + line + "\n    return torch.linear(x, self.w, self.b)\n"));
  };
  EXPECT_THAT(refusal(with("torch.save(x, '" + target.string() + "')")), HasSubstr("aten::save"));
  EXPECT_FALSE(std::filesystem::exists(target));
  EXPECT_THAT(refusal(with("x = x + torch.from_file('/etc/passwd', False, 3)")),
              HasSubstr("aten::from_file"));
  EXPECT_THAT(refusal(with("print(x)")), HasSubstr("prim::Print"));
  EXPECT_THAT(refusal(with("x = x + torch.rand([3])")), HasSubstr("aten::rand"));
  EXPECT_THAT(refusal(with("x = torch.dropout(x, 0.5, True)")), HasSubstr("random"));
  EXPECT_THAT(refusal(with("torch.manual_seed(3)")), HasSubstr("aten::manual_seed"));
}

/// In a branch that is not taken, and in a method nobody calls.
TEST_F(TorchScript, LooksEverywhereForOperators) {
  EXPECT_THAT(refusal(save(module_with("def forward(self, x):\n"
                                       "    if x.size(0) > 1000:\n"
                                       "        print(x)\n"
                                       "    return torch.linear(x, self.w, self.b)\n"))),
              HasSubstr("prim::Print"));
  torch::jit::Module module = module_with(kLinear);
  module.define("def idle(self, x):\n    return torch.rand([3])\n");
  EXPECT_THAT(refusal(save(module)), HasSubstr("aten::rand"));
}

TEST_F(TorchScript, RefusesModulesThatRunWhileBeingLoaded) {
  torch::jit::Module module = module_with(kLinear);
  module.define(
      "def __getstate__(self):\n    return self.w\n"
      "def __setstate__(self, state):\n    self.w = state\n    self.b = state[0]\n    self.training = "
      "False\n");
  EXPECT_THAT(refusal(save(module)), HasSubstr("__setstate__"));
}

}  // namespace
}  // namespace earshot
