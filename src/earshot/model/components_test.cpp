#include "earshot/model/components.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace earshot {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Architecture make(const std::string& name, const Shape& input, std::size_t outputs,
                  const Json& given = Json::object()) {
  const auto components = model_components();
  const auto found =
      std::ranges::find_if(components, [&](const ModelComponent& c) { return c.schema.name == name; });
  std::vector<Problem> problems;
  const Settings settings = validate(
      found->schema, given, [](std::string_view key) { return std::string(key); }, problems);
  EXPECT_TRUE(problems.empty()) << name << ": " << to_line(problems.front());
  return found->make(settings, input, outputs);
}
std::size_t count(const std::string& name, const Shape& input, std::size_t outputs,
                  const Json& given = Json::object()) {
  return parameter_count(make(name, input, outputs, given));
}

const Shape kMnist{1, 28, 28};
const Shape kCifar{3, 32, 32};

TEST(Components, HaveThePublishedParameterCounts) {
  EXPECT_EQ(count("two_layer_perceptron", kMnist, 10), 79510U);                              // Yu 2026
  EXPECT_EQ(count("two_layer_perceptron", kCifar, 10), 308310U);                             // Yu 2026
  EXPECT_EQ(count("femnist_cnn", kMnist, 62), 1206590U);                                     // Biswas 2024
  EXPECT_EQ(count("small_cnn", kMnist, 10, {{"channels", 32}, {"hidden", 512}}), 1663370U);  // McMahan 2017
  EXPECT_EQ(count("squeezenet11", {3, 224, 224}, 5), 725061U);                               // Shahbazi 2026
  EXPECT_EQ(count("squeezenet11", {3, 224, 224}, 1000), 1235496U);                           // torchvision
  EXPECT_EQ(count("resnet18", {3, 224, 224}, 1000), 11689512U);                              // torchvision
  EXPECT_EQ(count("resnet18", kCifar, 10, {{"stem", "cifar"}}), 11173962U);
  EXPECT_EQ(count("softmax_regression", kMnist, 10), 7850U);
}

TEST(Components, Resnet32DiffersFromThePublishedOneByItsTwoProjections) {
  // 464,154 with parameter-free shortcuts (He et al. 2016 round to 0.46 M); 1x1 projections with batch norm
  // add 16 * 32 + 64 and 32 * 64 + 128.
  EXPECT_EQ(count("resnet32", kCifar, 10) - 576 - 2176, 464154U);
  const Architecture net = make("resnet32", kCifar, 10);
  std::size_t weighted = 0;
  for (const PlacedLayer& layer : place(net)) {
    weighted += std::holds_alternative<Convolve>(*layer.layer) || std::holds_alternative<Dense>(*layer.layer);
  }
  EXPECT_EQ(weighted - 2, 32U);
}

TEST(Components, SqueezenetHasThePublishedShapes) {
  const Architecture net = make("squeezenet11", {3, 224, 224}, 5);
  const auto placed = place(net);
  std::vector<std::size_t> pooled;
  for (const PlacedLayer& layer : placed) {
    if (std::holds_alternative<Pool>(*layer.layer)) pooled.push_back(layer.out.height);
  }
  EXPECT_THAT(pooled, ElementsAre(55, 27, 13, 1));
  EXPECT_EQ(placed[0].out, (Shape{64, 111, 111}));
  const PlacedLayer& head = placed[placed.size() - 3];
  EXPECT_EQ(head.in, (Shape{512, 13, 13}));
  EXPECT_EQ(head.parameter_offset, 722496U);
  EXPECT_EQ(head.parameter_count, 2565U);
  EXPECT_EQ(output_shape(net), (Shape{5}));
}

TEST(Components, LenetOfTheLeakagePaper) {
  const Architecture net = make("lenet_dlg", kCifar, 100);
  EXPECT_EQ(place(net).back().in.size(), 768U);  // the 768 of the paper's dense layer
  EXPECT_EQ(parameter_count(net), 912U + 3612 + 3612 + 76900);
  EXPECT_EQ(net.initialisation, Initialisation::kHalf);
}

TEST(Components, TabularModelsOfTabLeak) {
  EXPECT_EQ(count("mlp", {105}, 2), 105U * 100 + 100 + 10100 + 202);
  EXPECT_EQ(count("mlp", {105}, 2, {{"hidden", "400,400,400"}}), 105U * 400 + 400 + 2 * 160400 + 802);
  EXPECT_EQ(count("mlp", {105}, 2, {{"hidden", ""}}), 212U);
  EXPECT_EQ(count("tabular_cnn", {105}, 2), 48U + (103 * 16 + 1) * 100 + 10100 + 202);
  EXPECT_EQ(count("tabular_cnn", {105}, 2, {{"norm", "batch"}}), 80U + (103 * 16 + 1) * 100 + 10100 + 202);
  const Architecture resnet = make("tabular_resnet", {105}, 2);
  EXPECT_EQ(place(resnet).back().in.size(), 305U);
  EXPECT_EQ(parameter_count(resnet), 106U * 100 + 200 + 206 * 100 + 200 + 306 * 2);
  EXPECT_EQ(buffer_count(resnet), 400U);
  EXPECT_EQ(count("tabular_resnet", {105}, 2, {{"norm", "none"}, {"join", "add"}, {"blocks", 1}}),
            106U * 100 + 101 * 105 + 106 * 2);
}

TEST(Components, TwoClassesNeedOneLogisticOutput) {
  const Architecture net = make("logistic_regression", {30}, 2, {{"bias", false}});
  EXPECT_EQ(output_shape(net).size(), 1U);
  EXPECT_EQ(parameter_count(net), 30U);
  EXPECT_EQ(net.loss, LossKind::kBinaryCrossEntropy);
  EXPECT_EQ(count("two_layer_perceptron", {10}, 2, {{"output", "sigmoid"}}), 1201U);
  EXPECT_THROW(make("logistic_regression", {30}, 3), Error);
}

TEST(Components, GraphNetworks) {
  const Architecture node = make("gcn", {1433}, 7);
  EXPECT_EQ(parameter_count(node), 1433U * 16 + 16 * 7);
  EXPECT_FALSE(has_read_out(node));
  const Architecture graph = make("gcn", {3}, 2, {{"level", "graph"}, {"hidden", 32}, {"dropout", 0.5}});
  EXPECT_EQ(parameter_count(graph), 3U * 32 + 32 * 32 + 66);
  EXPECT_TRUE(has_read_out(graph));
  const Architecture gat = make("gat", {20}, 2);
  const auto placed = place(gat);
  EXPECT_EQ(placed[0].out.size(), 600U);
  EXPECT_EQ(placed[2].out.size(), 300U);
  EXPECT_TRUE(has_read_out(gat));
  EXPECT_FALSE(has_read_out(make("gat", {20}, 2, {{"level", "node"}})));
}

TEST(Components, BadWidthsAreRefusedInOneSentence) {
  for (const char* hidden : {"a", "100,", "100,,100", "-3", "0", "1e3", "99999999999999999999", " 100"}) {
    try {
      make("mlp", {4}, 2, {{"hidden", hidden}});
      ADD_FAILURE() << hidden;
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::kConfig);
      EXPECT_THAT(error.what(), HasSubstr("hidden"));
    }
  }
}

TEST(Components, EveryDefaultFitsAndSurvivesJson) {
  for (const ModelComponent& component : model_components()) {
    const std::string& name = component.schema.name;
    const Architecture net = make(name, {3, 64, 64}, 2);
    EXPECT_EQ(net.name, name);
    EXPECT_GT(parameter_count(net), 0U);
    EXPECT_EQ(to_json(architecture_from_json(to_json(net))), to_json(net));
    EXPECT_FALSE(component.schema.reference.empty());
  }
}

}  // namespace
}  // namespace earshot
