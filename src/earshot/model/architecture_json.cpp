#include <string>
#include <vector>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/model/architecture.hpp"
#include "earshot/model/object_reader.hpp"

namespace earshot {
namespace {

/// Far above any network; keeps a hostile description from exhausting stack and time.
constexpr std::size_t kMostLayers = 10000;
constexpr std::size_t kDeepestNesting = 16;

[[noreturn]] void broken(const std::string& why) {
  fail(Fault::kData, why);
}

Json layers_to_json(const std::vector<Layer>& layers);
std::vector<Layer> layers_from_json(const Json& json, std::size_t depth);

Json fields(const Dense& layer) {
  return {{"outputs", layer.outputs}, {"bias", layer.bias}};
}
Json fields(const Activate& layer) {
  return {{"function", name_of(layer.kind)}};
}
Json fields(const Convolve& layer) {
  return {{"channels", layer.channels},
          {"kernel_height", layer.kernel_height},
          {"kernel_width", layer.kernel_width},
          {"stride", layer.stride},
          {"padding_height", layer.padding_height},
          {"padding_width", layer.padding_width},
          {"bias", layer.bias}};
}
Json fields(const Pool& layer) {
  return {{"function", name_of(layer.kind)},
          {"kernel", layer.kernel},
          {"stride", layer.stride},
          {"ceil", layer.ceil}};
}
Json fields(const BatchNorm& layer) {
  return {{"frozen", layer.frozen}, {"epsilon", layer.epsilon}};
}
Json fields(const Dropout& layer) {
  return {{"rate", layer.rate}};
}
Json fields(const GraphConvolve& layer) {
  return {{"outputs", layer.outputs}, {"bias", layer.bias}};
}
Json fields(const GraphAttend& layer) {
  return {{"heads", layer.heads},
          {"width", layer.width},
          {"heads_join", name_of(layer.heads_join)},
          {"skip", layer.skip},
          {"bias", layer.bias}};
}
Json fields(const ReadOut& layer) {
  return {{"function", name_of(layer.kind)}};
}
Json fields(const Parallel& layer) {
  Json branches = Json::array();
  for (const std::vector<Layer>& branch : layer.branches) branches.push_back(layers_to_json(branch));
  return {{"join", name_of(layer.join)}, {"branches", std::move(branches)}};
}

Json layers_to_json(const std::vector<Layer>& layers) {
  Json out = Json::array();
  for (const Layer& layer : layers) {
    Json entry{{"kind", std::string(layer_kind(layer))}};
    entry.update(
        std::visit([](const auto& kind) { return fields(kind); }, static_cast<const Layer::variant&>(layer)));
    out.push_back(std::move(entry));
  }
  return out;
}

Parallel parallel_from_json(ObjectReader& reader, std::size_t depth) {
  if (depth == kDeepestNesting) broken(fmt::format("blocks are nested more than {} deep", kDeepestNesting));
  Parallel parallel{reader.one_of<Join>("join"), {}};
  for (const Json& branch : reader.array("branches")) {
    parallel.branches.push_back(layers_from_json(branch, depth + 1));
  }
  return parallel;
}

/// Reads fields in the order `fields` wrote them: initialiser lists are evaluated left to right.
Layer layer_from_json(ObjectReader& reader, std::size_t depth) {
  switch (position_of(reader.word("kind"), kLayerKinds, "kind")) {
    case 0:
      return Dense{reader.size("outputs"), reader.boolean("bias")};
    case 1:
      return Activate{reader.one_of<ActivationKind>("function")};
    case 2:
      return Convolve{reader.size("channels"), reader.size("kernel_height"),  reader.size("kernel_width"),
                      reader.size("stride"),   reader.size("padding_height"), reader.size("padding_width"),
                      reader.boolean("bias")};
    case 3:
      return Pool{reader.one_of<PoolKind>("function"), reader.size("kernel"), reader.size("stride"),
                  reader.boolean("ceil")};
    case 4:
      return BatchNorm{reader.boolean("frozen"), reader.real("epsilon")};
    case 5:
      return Dropout{reader.real("rate")};
    case 6:
      return GraphConvolve{reader.size("outputs"), reader.boolean("bias")};
    case 7:
      return GraphAttend{reader.size("heads"), reader.size("width"), reader.one_of<Join>("heads_join"),
                         reader.boolean("skip"), reader.boolean("bias")};
    case 8:
      return ReadOut{reader.one_of<ReadOutKind>("function")};
    default:
      return parallel_from_json(reader, depth);
  }
}

std::vector<Layer> layers_from_json(const Json& json, std::size_t depth) {
  if (!json.is_array()) broken("layers must be an array");
  if (json.size() > kMostLayers) broken(fmt::format("a network may have {} layers at most", kMostLayers));
  std::vector<Layer> layers;
  layers.reserve(json.size());
  for (const Json& entry : json) {
    with_context(fmt::format("layer {}", layers.size()), [&] {
      ObjectReader reader(entry);
      layers.push_back(layer_from_json(reader, depth));
      reader.finish();
    });
  }
  return layers;
}

}  // namespace

Json to_json(const Architecture& architecture) {
  const Shape& in = architecture.input;
  return {{"name", architecture.name},
          {"input", {in.channels, in.height, in.width}},
          {"layers", layers_to_json(architecture.layers)},
          {"loss", name_of(architecture.loss)},
          {"reduction", name_of(architecture.reduction)},
          {"initialisation", name_of(architecture.initialisation)}};
}

Architecture architecture_from_json(const Json& json) {
  return with_context("architecture", [&] {
    ObjectReader reader(json);
    Architecture architecture{reader.word("name"),
                              reader.shape("input"),
                              layers_from_json(reader.array("layers"), 0),
                              reader.one_of<LossKind>("loss"),
                              reader.one_of<Reduction>("reduction"),
                              reader.one_of<Initialisation>("initialisation")};
    reader.finish();
    try {
      place(architecture);
    } catch (const Error& error) {
      broken(error.what());
    }
    return architecture;
  });
}

}  // namespace earshot
