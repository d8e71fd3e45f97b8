#include "earshot/model/components.hpp"

#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

using Layers = std::vector<Layer>;

const std::vector<std::string> kActivations{"relu", "sigmoid", "tanh", "softplus", "gelu", "elu"};

Parameter activation_parameter(std::string fallback) {
  return choice_parameter("activation", std::move(fallback), kActivations, "function between the layers");
}
Parameter width_parameter(std::string key, std::int64_t fallback, std::string help) {
  return integer_parameter(std::move(key), fallback, 1, 1000000, std::move(help));
}

Activate activation(const Settings& settings) {
  const std::string name = settings.text("activation");
  if (name == "sigmoid") return {ActivationKind::kSigmoid};
  if (name == "tanh") return {ActivationKind::kTanh};
  if (name == "softplus") return {ActivationKind::kSoftplus};
  if (name == "gelu") return {ActivationKind::kGelu};
  if (name == "elu") return {ActivationKind::kElu};
  return {ActivationKind::kRelu};
}

Activate relu() {
  return {ActivationKind::kRelu};
}

void append(Layers& to, Layers layers) {
  for (Layer& layer : layers) to.push_back(std::move(layer));
}

Convolve convolve(std::size_t channels, std::size_t kernel, std::size_t stride, std::size_t padding,
                  bool bias = true) {
  return {channels, kernel, kernel, stride, padding, padding, bias};
}

/// "100,100" -> {100, 100}; empty: none.
std::vector<std::size_t> widths(std::string_view text) {
  std::vector<std::size_t> out;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(','));
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc{} || end != word.data() + word.size() || value == 0 || value > 1000000) {
      fail(Fault::kConfig, fmt::format("hidden: \"{}\" is no layer width; write whole numbers from 1 to "
                                       "1000000 with commas between them, such as \"100,100\"",
                                       word));
    }
    out.push_back(value);
    text.remove_prefix(word.size());
    if (text == ",") fail(Fault::kConfig, "hidden: remove the comma at the end");
    if (!text.empty()) text.remove_prefix(1);
  }
  return out;
}

/// One probability tells two classes apart.
void require_two_classes(std::string_view name, std::size_t outputs) {
  if (outputs > 2) {
    fail(Fault::kConfig,
         fmt::format("{} tells two classes apart, the data have {}; use softmax outputs", name, outputs));
  }
}

Architecture softmax_regression(const Settings&, const Shape& input, std::size_t outputs) {
  return {"softmax_regression", input, {Dense{outputs}}};
}

Architecture logistic_regression(const Settings& settings, const Shape& input, std::size_t outputs) {
  require_two_classes("logistic_regression", outputs);
  return {"logistic_regression", input, {Dense{1, settings.boolean("bias")}}, LossKind::kBinaryCrossEntropy};
}

LossKind loss(const Settings& settings) {
  const std::string name = settings.text("loss");
  if (name == "binary_cross_entropy") return LossKind::kBinaryCrossEntropy;
  if (name == "mean_squared") return LossKind::kMeanSquared;
  return LossKind::kSoftmaxCrossEntropy;
}
Parameter loss_parameter(std::string fallback) {
  return choice_parameter("loss", std::move(fallback),
                          {"softmax_cross_entropy", "binary_cross_entropy", "mean_squared"},
                          "what training minimises");
}

Architecture mlp(const Settings& settings, const Shape& input, std::size_t outputs) {
  Architecture net{"mlp", input, {}, loss(settings)};
  for (const std::size_t width : widths(settings.text("hidden"))) {
    append(net.layers, {Dense{width}, activation(settings)});
  }
  net.layers.push_back(Dense{outputs});
  return net;
}

Architecture two_layer_perceptron(const Settings& settings, const Shape& input, std::size_t outputs) {
  const bool sigmoid = settings.text("output") == "sigmoid";
  if (sigmoid) require_two_classes("a sigmoid output", outputs);
  return {"two_layer_perceptron",
          input,
          {Dense{settings.size("hidden")}, relu(), Dense{sigmoid ? 1 : outputs}},
          sigmoid ? LossKind::kBinaryCrossEntropy : LossKind::kSoftmaxCrossEntropy};
}

Parameter norm_parameter(std::string fallback) {
  return choice_parameter(
      "norm", std::move(fallback), {"batch", "frozen", "none"},
      "batch normalisation with the batch's statistics, with running statistics, or none");
}
Layers normalised(const Settings& settings, Layer layer) {
  const std::string norm = settings.text("norm");
  Layers out{std::move(layer)};
  if (norm != "none") out.push_back(BatchNorm{norm == "frozen"});
  return out;
}

Architecture tabular_cnn(const Settings& settings, const Shape& input, std::size_t outputs) {
  Architecture net{"tabular_cnn", {1, 1, input.size()}, {}};
  append(net.layers, normalised(settings, Convolve{settings.size("channels"), 1, 3, 1, 0, 0, false}));
  append(net.layers, {relu(), Dense{100}, relu(), Dense{100}, relu(), Dense{outputs}});
  return net;
}

/// CTGAN's block (Xu et al. 2019): ReLU(norm(W x)) beside x.
Layer concatenating_block(const Settings& settings) {
  Layers inner = normalised(settings, Dense{settings.size("width")});
  inner.push_back(relu());
  return Parallel{Join::kConcatenate, {std::move(inner), {}}};
}

/// He et al. 2016's block with dense layers: ReLU(R(x) + x).
Layers additive_block(const Settings& settings, std::size_t size) {
  Layers inner = normalised(settings, Dense{settings.size("width")});
  inner.push_back(relu());
  append(inner, normalised(settings, Dense{size}));
  return {Parallel{Join::kAdd, {std::move(inner), {}}}, relu()};
}

Architecture tabular_resnet(const Settings& settings, const Shape& input, std::size_t outputs) {
  Architecture net{"tabular_resnet", {input.size()}, {}};
  for (std::size_t i = 0; i < settings.size("blocks"); ++i) {
    if (settings.text("join") == "add") {
      append(net.layers, additive_block(settings, input.size()));
    } else {
      net.layers.push_back(concatenating_block(settings));
    }
  }
  net.layers.push_back(Dense{outputs});
  return net;
}

Architecture lenet_dlg(const Settings& settings, const Shape& input, std::size_t outputs) {
  const Activate act = activation(settings);
  return {
      "lenet_dlg",
      input,
      {convolve(12, 5, 2, 2), act, convolve(12, 5, 2, 2), act, convolve(12, 5, 1, 2), act, Dense{outputs}},
      LossKind::kSoftmaxCrossEntropy,
      Reduction::kMean,
      Initialisation::kHalf};
}

Architecture small_cnn(const Settings& settings, const Shape& input, std::size_t outputs) {
  const std::size_t channels = settings.size("channels");
  const Activate act = activation(settings);
  const Pool pool{};
  return {"small_cnn",
          input,
          {convolve(channels, 5, 1, 2), act, pool, convolve(2 * channels, 5, 1, 2), act, pool,
           Dense{settings.size("hidden")}, act, Dense{outputs}}};
}

Architecture femnist_cnn(const Settings&, const Shape& input, std::size_t outputs) {
  return {"femnist_cnn",
          input,
          {convolve(32, 3, 1, 0), relu(), convolve(64, 3, 1, 0), relu(), Pool{}, Dense{128}, relu(),
           Dense{outputs}}};
}

/// He et al. 2016's basic block: two 3x3 convolutions; a 1x1 projection where the shape changes.
Layers basic_block(const Settings& settings, std::size_t in, std::size_t channels, std::size_t stride) {
  Layers inner = normalised(settings, convolve(channels, 3, stride, 1, false));
  inner.push_back(relu());
  append(inner, normalised(settings, convolve(channels, 3, 1, 1, false)));
  Layers shortcut;
  if (stride != 1 || in != channels) shortcut = normalised(settings, convolve(channels, 1, stride, 0, false));
  return {Parallel{Join::kAdd, {std::move(inner), std::move(shortcut)}}, relu()};
}

void residual_stages(Architecture& net, const Settings& settings, std::vector<std::size_t> widths,
                     std::size_t blocks) {
  std::size_t in = widths.front();
  for (const std::size_t channels : widths) {
    for (std::size_t i = 0; i < blocks; ++i) {
      append(net.layers, basic_block(settings, in, channels, i == 0 && channels != in ? 2 : 1));
      in = channels;
    }
  }
}

Architecture resnet18(const Settings& settings, const Shape& input, std::size_t outputs) {
  Architecture net{"resnet18", input, {}};
  if (settings.text("stem") == "imagenet") {
    append(net.layers, normalised(settings, convolve(64, 7, 2, 3, false)));
    append(net.layers, {relu(), Pool{PoolKind::kMax, 3, 2, true}});
  } else {
    append(net.layers, normalised(settings, convolve(64, 3, 1, 1, false)));
    net.layers.push_back(relu());
  }
  residual_stages(net, settings, {64, 128, 256, 512}, 2);
  append(net.layers, {Pool{PoolKind::kMean, 0}, Dense{outputs}});
  return net;
}

Architecture resnet32(const Settings& settings, const Shape& input, std::size_t outputs) {
  Architecture net{"resnet32", input, normalised(settings, convolve(16, 3, 1, 1, false))};
  net.layers.push_back(relu());
  residual_stages(net, settings, {16, 32, 64}, 5);
  append(net.layers, {Pool{PoolKind::kMean, 0}, Dense{outputs}});
  return net;
}

/// Iandola et al. 2016: squeeze to few channels, expand by 1x1 and 3x3 convolutions side by side.
Layers fire(std::size_t squeeze, std::size_t expand) {
  return {convolve(squeeze, 1, 1, 0), relu(),
          Parallel{Join::kConcatenate,
                   {{convolve(expand, 1, 1, 0), relu()}, {convolve(expand, 3, 1, 1), relu()}}}};
}

Architecture squeezenet11(const Settings& settings, const Shape& input, std::size_t outputs) {
  Architecture net{"squeezenet11", input, {convolve(64, 3, 2, 0), relu()}};
  const Pool pool{PoolKind::kMax, 3, 2, true};
  net.layers.push_back(pool);
  append(net.layers, fire(16, 64));
  append(net.layers, fire(16, 64));
  net.layers.push_back(pool);
  append(net.layers, fire(32, 128));
  append(net.layers, fire(32, 128));
  net.layers.push_back(pool);
  append(net.layers, fire(48, 192));
  append(net.layers, fire(48, 192));
  append(net.layers, fire(64, 256));
  append(net.layers, fire(64, 256));
  append(net.layers,
         {Dropout{settings.real("dropout")}, convolve(outputs, 1, 1, 0), relu(), Pool{PoolKind::kMean, 0}});
  return net;
}

Parameter dropout_parameter(double fallback) {
  return real_parameter("dropout", fallback, 0, 0.99, "share of the values dropped while training");
}
Parameter level_parameter(std::string fallback) {
  return choice_parameter("level", std::move(fallback), {"node", "graph"},
                          "one output per node, or per graph");
}

Architecture gcn(const Settings& settings, const Shape& input, std::size_t outputs) {
  Architecture net{
      "gcn", input, {}, LossKind::kSoftmaxCrossEntropy, Reduction::kMean, Initialisation::kXavier};
  const bool graph_level = settings.text("level") == "graph";
  const std::size_t layers = settings.size("layers");
  const double dropout = settings.real("dropout");
  const bool bias = settings.boolean("bias");
  for (std::size_t i = 0; i < layers; ++i) {
    const bool last = i + 1 == layers;
    if (dropout > 0) net.layers.push_back(Dropout{dropout});
    net.layers.push_back(GraphConvolve{last && !graph_level ? outputs : settings.size("hidden"), bias});
    if (!last || graph_level) net.layers.push_back(activation(settings));
  }
  if (graph_level) append(net.layers, {ReadOut{}, Dense{outputs}});
  return net;
}

Architecture gat(const Settings& settings, const Shape& input, std::size_t outputs) {
  const std::size_t heads = settings.size("heads");
  const std::size_t width = settings.size("width");
  Architecture net{"gat",
                   input,
                   {GraphAttend{heads, width, Join::kConcatenate, true}, Activate{ActivationKind::kElu},
                    GraphAttend{heads, width, Join::kAdd, true}, Dense{width}, relu(), Dense{width}, relu(),
                    Dense{outputs}},
                   loss(settings),
                   Reduction::kMean,
                   Initialisation::kXavier};
  if (settings.text("level") == "graph") net.layers.push_back(ReadOut{});
  return net;
}

Schema schema(std::string name, std::string summary, std::string reference,
              std::vector<Parameter> parameters) {
  return {"model", std::move(name), std::move(summary), std::move(reference), std::move(parameters)};
}

std::vector<ModelComponent> dense_components() {
  return {
      {schema("softmax_regression", "one dense layer and softmax: the smallest network that leaks its input",
              "Zhu et al. 2019; Phong et al. 2018", {}),
       softmax_regression},
      {schema("logistic_regression", "one number, the probability of the second of two classes",
              "Cox 1958; Ski 2026", {boolean_parameter("bias", true, "add a constant to the weighted sum")}),
       logistic_regression},
      {schema("mlp", "dense layers, fully connected", "Vero et al. 2023 (TabLeak): 100,100 and 400,400,400",
              {text_parameter("hidden", "100,100", "widths of the hidden layers, with commas"),
               activation_parameter("relu"), loss_parameter("softmax_cross_entropy")}),
       mlp},
      {schema("two_layer_perceptron", "dense, ReLU, dense", "Yu 2026",
              {width_parameter("hidden", 100, "width of the hidden layer"),
               choice_parameter("output", "softmax", {"softmax", "sigmoid"},
                                "one number per class, or one probability for two classes")}),
       two_layer_perceptron},
      {schema("tabular_cnn", "a 1-D convolution over the encoded record, then dense 100, 100",
              "Vero et al. 2023 (TabLeak)",
              {width_parameter("channels", 16, "filters of the convolution"), norm_parameter("none")}),
       tabular_cnn},
      {schema("tabular_resnet", "residual blocks of dense layers", "Xu et al. 2019 (CTGAN); He et al. 2016",
              {integer_parameter("blocks", 2, 1, 100, "residual blocks"),
               width_parameter("width", 100, "units in a block"),
               choice_parameter("join", "concatenate", {"concatenate", "add"},
                                "put the block's output beside its input, or add them"),
               norm_parameter("batch")}),
       tabular_resnet}};
}

std::vector<ModelComponent> image_components() {
  return {
      {schema("lenet_dlg", "three 5x5 convolutions of 12 channels, then dense; starts uniform +-0.5",
              "Zhu et al. 2019 (DLG)", {activation_parameter("sigmoid")}),
       lenet_dlg},
      {schema(
           "small_cnn", "two 5x5 convolutions with max pooling, then dense",
           "McMahan et al. 2017 with channels 32, hidden 512",
           {width_parameter("channels", 16, "of the first convolution; the second has twice as many"),
            width_parameter("hidden", 128, "width of the hidden dense layer"), activation_parameter("relu")}),
       small_cnn},
      {schema("femnist_cnn", "two 3x3 convolutions, max pooling, dense 128", "Biswas 2024", {}), femnist_cnn},
      {schema("resnet18", "18 layers in residual blocks", "He et al. 2016",
              {choice_parameter("stem", "imagenet", {"imagenet", "cifar"},
                                "7x7 stride 2 and pooling for large pictures, 3x3 for 32x32"),
               norm_parameter("batch")}),
       resnet18},
      {schema("resnet32", "32 layers in residual blocks for 32x32 pictures; 1x1 projections (option B)",
              "He et al. 2016", {norm_parameter("batch")}),
       resnet32},
      {schema("squeezenet11", "SqueezeNet 1.1: fire blocks, no dense layer", "Iandola et al. 2016",
              {dropout_parameter(0.5)}),
       squeezenet11}};
}

std::vector<ModelComponent> graph_components() {
  return {
      {schema("gcn", "graph convolutions; graphs are read out by the mean, then dense", "Kipf & Welling 2017",
              {integer_parameter("layers", 2, 1, 100, "graph convolutions"),
               width_parameter("hidden", 16, "features of a node between the layers"),
               activation_parameter("relu"), level_parameter("node"), dropout_parameter(0),
               boolean_parameter("bias", false, "add a constant to every feature")}),
       gcn},
      {schema("gat", "two attention layers with skip connections, then three dense layers",
              "Velickovic et al. 2018; Drencheva et al. 2025 (GRAIN)",
              {integer_parameter("heads", 2, 1, 100, "attention heads of each layer"),
               width_parameter("width", 300, "features of each head"), level_parameter("graph"),
               loss_parameter("binary_cross_entropy")}),
       gat}};
}

std::vector<ModelComponent> all_components() {
  std::vector<ModelComponent> all = dense_components();
  for (ModelComponent& component : image_components()) all.push_back(std::move(component));
  for (ModelComponent& component : graph_components()) all.push_back(std::move(component));
  return all;
}

}  // namespace

std::span<const ModelComponent> model_components() {
  static const std::vector<ModelComponent> components = all_components();
  return components;
}

}  // namespace earshot
