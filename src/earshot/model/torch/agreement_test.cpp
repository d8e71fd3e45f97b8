// Native and libtorch share no code beyond the architecture's description: where both agree, both are right.
#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/core/error.hpp"
#include "earshot/model/components.hpp"
#include "earshot/model/native/graph_test_patterns.hpp"
#include "earshot/model/native/native_model.hpp"
#include "earshot/model/native/random_architecture.hpp"
#include "earshot/model/torch/test_engine.hpp"

namespace earshot {
namespace {

bool uses_batch_statistics(const Architecture& architecture) {
  return std::ranges::any_of(place(architecture), [](const PlacedLayer& place) {
    const auto* norm = std::get_if<BatchNorm>(place.layer);
    return norm != nullptr && !norm->frozen;
  });
}

/// Running statistics that are neither 0 nor 1.
void set_statistics(Model& model, std::uint64_t seed) {
  Stream stream({seed, Purpose::kTest, 12});
  std::vector<double> buffers(model.buffers().size());
  for (double& value : buffers) value = static_cast<float>(0.5 + stream.uniform());
  model.set_buffers(buffers);
}

/// A bound that some rows exceed and others do not.
double middle_norm(const Model& model, const ProblemSet& set) {
  std::vector<double> norms = clipped<double>(model, set, 1).norms;
  std::erase(norms, 0.0);
  if (norms.empty()) return 1;
  std::ranges::sort(norms);
  return norms.size() < 2 ? 0.7 * norms[0] : 0.5 * (norms[norms.size() / 2 - 1] + norms[norms.size() / 2]);
}

template <class Real>
void expect_agreement(const Architecture& architecture, const ProblemSet& set, const std::string& what) {
  const auto native = make_native_model(architecture);
  const auto torch = built_engine().make(architecture);
  set_statistics(*native, 1);
  set_statistics(*torch, 1);
  expect_same_derivatives<Real>(*torch, *native, set, what);
  if (uses_batch_statistics(architecture)) return;
  expect_same_clipping<Real>(*torch, *native, set, middle_norm(*native, set), what);
}

void expect_agreement_in_both(const Architecture& architecture, const SetOptions& options,
                              const std::string& what) {
  const ProblemSet set = random_problems(architecture, options);
  expect_agreement<double>(architecture, set, what + ", double");
  expect_agreement<float>(architecture, set, what + ", float");
}

/// Shared and own parameters, weights and dropout on and off in turn.
SetOptions options_for(std::uint64_t seed) {
  SetOptions options{
      .count = 1 + seed % 2, .rows = 4, .shared = seed % 3 == 0, .weights = seed % 4 < 2, .seed = seed};
  if (seed % 5 < 3) options.dropout = seed;
  return options;
}

TEST(TorchAgreement, RandomVectorNetworks) {
  for (std::uint64_t seed = 0; seed < 40; ++seed)
    expect_agreement_in_both(RandomArchitecture(seed).vector_network(), options_for(seed),
                             std::to_string(seed));
}

TEST(TorchAgreement, RandomImageNetworks) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SetOptions options = options_for(seed);
    options.spread = 0.3;  // larger weights amplify single precision's rounding beyond 1e-5, in either engine
    expect_agreement_in_both(RandomArchitecture(seed).image_network(seed % 2 == 0), options,
                             std::to_string(seed));
  }
}

TEST(TorchAgreement, RandomGraphNetworks) {
  const GraphPattern pattern = pattern_of(random_graph(6, 0.5, true, 3), {0, 2, 6});
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SetOptions options = options_for(seed);
    options.rows = pattern.nodes;
    options.graph = &pattern;
    options.soft_adjacency = seed % 2 == 0;
    expect_agreement_in_both(RandomArchitecture(seed).graph_network(seed % 4 < 2), options,
                             std::to_string(seed));
  }
}

/// Windows that do not fit evenly, strides, flat kernels.
TEST(TorchAgreement, OddConvolutionsAndPools) {
  Architecture net{"odd", {2, 7, 9}, {}};
  for (const PoolKind kind : {PoolKind::kMax, PoolKind::kMean}) {
    for (const bool ceil : {false, true}) {
      for (const Convolve& convolve : {Convolve{3, 3, 2, 2, 1, 0}, Convolve{2, 1, 4, 1, 0, 2, false}}) {
        net.layers = {convolve, Activate{ActivationKind::kTanh}, Pool{kind, 2, 2, ceil}, Convolve{4},
                      Pool{kind, 0}};
        expect_agreement_in_both(net, {.count = 2, .rows = 3}, "odd");
      }
    }
  }
}

/// 3x3 windows of stride 2 overlap.
TEST(TorchAgreement, OverlappingPools) {
  for (const PoolKind kind : {PoolKind::kMax, PoolKind::kMean}) {
    const Architecture net{"overlap", {1, 8, 8}, {Convolve{2, 3, 3}, Pool{kind, 3, 2, true}, Dense{3}}};
    expect_agreement_in_both(net, {.count = 2, .rows = 3}, "overlap");
  }
}

Architecture named(const std::string& name, const Shape& input, std::size_t outputs, const Json& given) {
  const auto components = model_components();
  const auto found =
      std::ranges::find_if(components, [&](const ModelComponent& c) { return c.schema.name == name; });
  if (found == components.end()) fail(Fault::kInternal, "no component " + name);
  std::vector<Problem> problems;
  const Settings settings = validate(
      found->schema, given, [](std::string_view key) { return std::string(key); }, problems);
  EXPECT_TRUE(problems.empty()) << name;
  return found->make(settings, input, outputs);
}

struct NamedCase {
  std::string name;
  Shape input;
  Json given = Json::object();
  bool graph = false;
};

std::vector<NamedCase> named_cases() {
  return {{"softmax_regression", {6}},
          {"logistic_regression", {6}},
          {"mlp", {9}},
          {"mlp", {9}, {{"hidden", "7,5,3"}, {"activation", "gelu"}, {"loss", "mean_squared"}}},
          {"two_layer_perceptron", {9}, {{"hidden", 12}}},
          {"tabular_cnn", {17}, {{"channels", 3}}},
          {"tabular_resnet", {8}, {{"width", 6}}},
          {"tabular_resnet", {8}, {{"width", 6}, {"join", "add"}, {"norm", "frozen"}}},
          {"lenet_dlg", {1, 12, 12}},
          {"small_cnn", {1, 12, 12}, {{"channels", 3}, {"hidden", 8}}},
          {"femnist_cnn", {1, 8, 8}},
          {"resnet32", {3, 8, 8}},
          {"squeezenet11", {3, 40, 40}},
          {"gcn", {5}, Json::object(), true},
          {"gcn", {5}, {{"level", "graph"}, {"layers", 3}}, true},
          {"gat", {5}, {{"width", 6}}, true},
          {"gat", {5}, {{"width", 6}, {"level", "node"}}, true}};
}

TEST(TorchAgreement, NamedArchitectures) {
  const GraphPattern pattern = pattern_of(random_graph(6, 0.5, false, 3), {0, 2, 6});
  for (const NamedCase& c : named_cases()) {
    SCOPED_TRACE(c.name + " " + c.given.dump());
    const std::size_t outputs = c.name == "logistic_regression" ? 1 : 3;
    SetOptions options{.rows = 2, .spread = 0.1};
    if (c.graph) options = {.rows = pattern.nodes, .graph = &pattern, .soft_adjacency = true, .spread = 0.4};
    expect_agreement_in_both(named(c.name, c.input, outputs, c.given), options, c.name);
  }
}

/// The largest one, once: eleven million parameters.
TEST(TorchAgreement, Resnet18) {
  const Architecture net = named("resnet18", {3, 16, 16}, 3, {{"stem", "cifar"}, {"norm", "frozen"}});
  const ProblemSet set = random_problems(net, {.rows = 1, .spread = 0.02});
  const auto native = make_native_model(net);
  const auto torch = built_engine().make(net);
  expect_same_derivatives<float>(*torch, *native, set, "resnet18");
}

TEST(TorchAgreement, RunningStatisticsMoveAlike) {
  const Architecture net = RandomArchitecture(4).image_network(true);
  const ProblemSet set = random_problems(net, {.rows = 4});
  const auto native = make_native_model(net);
  const auto torch = built_engine().make(net);
  ASSERT_FALSE(native->buffers().empty());
  for (int step = 0; step < 3; ++step) {
    native->observe(HeldSet<double>(set).problems, 0.1);
    torch->observe(HeldSet<double>(set).problems, 0.1);
  }
  const std::vector<double> expected(native->buffers().begin(), native->buffers().end());
  expect_close({torch->buffers().begin(), torch->buffers().end()}, expected, 1e-12, "buffers");
  EXPECT_NE(expected.front(), 0);
}

TEST(TorchAgreement, InitialiseAndDescribeAlike) {
  const Architecture net = named("mlp", {9}, 3, Json::object());
  const auto native = make_native_model(net);
  const auto torch = built_engine().make(net);
  std::vector<double> a(native->parameter_count()), b(torch->parameter_count());
  Stream first({1, Purpose::kModelInit}), second({1, Purpose::kModelInit});
  native->initialise(first, a);
  torch->initialise(second, b);
  EXPECT_EQ(a, b);
  Json x = native->describe(), y = torch->describe();
  EXPECT_EQ(y["engine"], "torch");
  x["engine"] = y["engine"];
  EXPECT_EQ(x, y);
}

}  // namespace
}  // namespace earshot
