#include "earshot/model/architecture.hpp"

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Convolve square(std::size_t channels, std::size_t kernel, std::size_t stride, std::size_t padding) {
  return {channels, kernel, kernel, stride, padding, padding};
}

std::string refusal(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    EXPECT_EQ(exit_code(error.fault()), 2) << error.what();
    const std::string what = error.what();
    EXPECT_EQ(what.find('\n'), std::string::npos);
    return what;
  }
  ADD_FAILURE() << "nothing was refused";
  return "";
}
std::string refusal(const Architecture& architecture) {
  return refusal([&] { place(architecture); });
}

/// Positions of a window by walking over them: the oracle of the shape rules.
std::size_t windows(std::size_t size, std::size_t kernel, std::size_t stride, std::size_t padding,
                    bool ceil) {
  std::size_t count = 0;
  for (std::size_t start = 0;; start += stride, ++count) {
    const bool whole = start + kernel <= size + 2 * padding;
    const bool reaches_new = start == 0 || start + kernel - stride < size + 2 * padding;
    if (whole || (ceil && start < size && reaches_new)) continue;
    return count;
  }
}

TEST(Architecture, ConvolutionsAndPoolsHaveAsManyOutputsAsWindowsFit) {
  for (std::size_t size = 1; size <= 12; ++size) {
    for (std::size_t kernel = 1; kernel <= size; ++kernel) {
      for (std::size_t stride = 1; stride <= 5; ++stride) {
        for (std::size_t padding = 0; padding < kernel; ++padding) {
          const Architecture net{"", {2, size, size}, {square(3, kernel, stride, padding)}};
          ASSERT_EQ(output_shape(net).height, windows(size, kernel, stride, padding, false));
        }
        for (const bool ceil : {false, true}) {
          const Architecture net{"", {2, size, size}, {Pool{PoolKind::kMax, kernel, stride, ceil}}};
          ASSERT_EQ(output_shape(net).width, windows(size, kernel, stride, 0, ceil))
              << size << " " << kernel << " " << stride << " " << ceil;
        }
      }
    }
  }
}

TEST(Architecture, LayersArePlacedDepthFirst) {
  const Architecture net{
      "",
      {3, 8, 8},
      {square(4, 3, 1, 1), BatchNorm{},
       Parallel{Join::kConcatenate, {{square(2, 1, 1, 0), Activate{}}, {}, {square(5, 3, 1, 1)}}}, Dense{7}}};
  const auto placed = place(net);
  std::vector<std::string> names;
  std::vector<std::size_t> offsets, counts, buffers;
  for (const PlacedLayer& layer : placed) {
    names.push_back(layer.name);
    offsets.push_back(layer.parameter_offset);
    counts.push_back(layer.parameter_count);
    buffers.push_back(layer.buffer_count);
  }
  EXPECT_THAT(names, ElementsAre("0.convolve", "1.batch_norm", "2.0.0.convolve", "2.0.1.activate",
                                 "2.2.0.convolve", "3.dense"));
  EXPECT_THAT(counts, ElementsAre(112, 8, 10, 0, 185, 7 * 11 * 64 + 7));
  EXPECT_THAT(offsets, ElementsAre(0, 112, 120, 130, 130, 315));
  EXPECT_THAT(buffers, ElementsAre(0, 8, 0, 0, 0, 0));
  EXPECT_EQ(placed.back().in, (Shape{11, 8, 8}));
  EXPECT_EQ(parameter_count(net), 315U + 7 * 11 * 64 + 7);
  EXPECT_EQ(buffer_count(net), 8U);
  EXPECT_FALSE(is_graph_network(net));
}

TEST(Architecture, GraphLayersCount) {
  const Architecture net{
      "",
      {9},
      {GraphAttend{2, 5, Join::kConcatenate, true, true}, GraphAttend{3, 4, Join::kAdd},
       GraphAttend{1, 4, Join::kAdd, true, false}, GraphConvolve{6, true}, ReadOut{}, Dense{2}}};
  std::vector<std::size_t> counts;
  for (const PlacedLayer& layer : place(net)) counts.push_back(layer.parameter_count);
  EXPECT_THAT(counts, ElementsAre(90 + 20 + 90 + 10, 120 + 24 + 4, 16 + 8, 24 + 6, 0, 14));
  EXPECT_TRUE(is_graph_network(net));
  EXPECT_TRUE(has_read_out(net));
  EXPECT_FALSE(has_read_out({"", {9}, {GraphConvolve{3}}}));
}

TEST(Architecture, RefusesWhatDoesNotFitInOneSentence) {
  EXPECT_THAT(refusal({"", {3}, {}}), HasSubstr("at least one layer"));
  EXPECT_THAT(refusal({"", {0}, {Dense{2}}}), HasSubstr("size above 0"));
  EXPECT_THAT(refusal({"", {3}, {Dense{0}}}), HasSubstr("layer 0.dense: outputs must be at least 1"));
  EXPECT_THAT(refusal({"", {3}, {Dense{1}}}), HasSubstr("at least two outputs"));
  EXPECT_THAT(refusal({"", {3, 4, 4}, {square(2, 5, 1, 0)}}), HasSubstr("larger than its padded input"));
  EXPECT_THAT(refusal({"", {3, 4, 4}, {square(2, 2, 0, 0)}}), HasSubstr("stride"));
  EXPECT_THAT(refusal({"", {3, 4, 4}, {square(2, 2, 1, 2)}}), HasSubstr("padding 2"));
  EXPECT_THAT(refusal({"", {3, 4, 4}, {Pool{PoolKind::kMax, 5, 1}}}), HasSubstr("window"));
  EXPECT_THAT(refusal({"", {3}, {Dropout{1.0}}}), HasSubstr("rate"));
  EXPECT_THAT(refusal({"", {3}, {Dropout{std::nan("")}}}), HasSubstr("rate"));
  EXPECT_THAT(refusal({"", {3}, {BatchNorm{false, 0}}}), HasSubstr("epsilon"));
  EXPECT_THAT(refusal({"", {3}, {Parallel{}}}), HasSubstr("no branches"));
  EXPECT_THAT(refusal({"", {3}, {Parallel{Join::kAdd, {{Dense{4}}, {}}}}}), HasSubstr("cannot be added"));
  EXPECT_THAT(refusal({"", {3, 4, 4}, {Parallel{Join::kConcatenate, {{Pool{}}, {}}}}}),
              HasSubstr("along channels"));
  EXPECT_THAT(refusal({"", {3}, {ReadOut{}, GraphConvolve{3}}}), HasSubstr("read-out"));
  EXPECT_THAT(refusal({"", {3}, {Parallel{Join::kAdd, {{ReadOut{}}}}}}), HasSubstr("inside a parallel"));
  EXPECT_THAT(refusal({"", {1U << 24U}, {Dense{1U << 24U}}}), HasSubstr("more than 1073741824 numbers"));
  EXPECT_THAT(refusal({"", {SIZE_MAX, SIZE_MAX, 2}, {Dense{2}}}), HasSubstr("too large"));
  EXPECT_THAT(refusal({"", {3}, {Dense{SIZE_MAX}}}), HasSubstr("above"));
  Layer nested = Parallel{Join::kAdd, {{Activate{}}}};
  for (int i = 0; i < 20; ++i) nested = Parallel{Join::kAdd, {{nested}}};
  EXPECT_THAT(refusal({"", {3}, {nested}}), HasSubstr("nested"));
}

TEST(Architecture, StartsUniformWithinTheRulesBound) {
  // The largest of n uniform numbers is below 0.9 of the bound with probability 0.9^n.
  Architecture net{"", {3, 9, 9}, {square(8, 3, 1, 0), BatchNorm{}, Dense{20}}};
  const auto placed = place(net);
  for (const auto rule : {Initialisation::kFanIn, Initialisation::kHalf, Initialisation::kXavier}) {
    net.initialisation = rule;
    std::vector<double> theta(parameter_count(net), 99);
    Stream stream({1, Purpose::kModelInit});
    initialise(net, stream, theta);
    const auto largest = [&](std::size_t from, std::size_t count) {
      double top = 0;
      for (std::size_t i = from; i < from + count; ++i) top = std::max(top, std::abs(theta[i]));
      return top;
    };
    const bool xavier = rule == Initialisation::kXavier;
    const double conv = xavier                          ? std::sqrt(6.0 / (27 + 72))
                        : rule == Initialisation::kHalf ? 0.5
                                                        : 1 / std::sqrt(27.0);
    const double dense = xavier                          ? std::sqrt(6.0 / (392 + 20))
                         : rule == Initialisation::kHalf ? 0.5
                                                         : 1 / std::sqrt(392.0);
    EXPECT_LE(largest(0, 216), conv);
    EXPECT_GE(largest(0, 216), 0.9 * conv);
    EXPECT_EQ(xavier, largest(216, 8) == 0);
    for (std::size_t i = 224; i < 232; ++i) EXPECT_EQ(theta[i], 1);
    EXPECT_EQ(largest(232, 8), 0);
    const std::size_t start = placed[2].parameter_offset;
    EXPECT_LE(largest(start, 20 * 392), dense);
    EXPECT_GE(largest(start, 20 * 392), 0.99 * dense);
    EXPECT_EQ(xavier, largest(start + 7840, 20) == 0);
  }
  std::vector<double> buffers(buffer_count(net), 99);
  initialise_buffers(net, buffers);
  for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(buffers[i], i < 8 ? 0 : 1);
}

TEST(Architecture, AttentionStartsLikeATensorOfHeads) {
  Architecture net{"", {10}, {GraphAttend{3, 8, Join::kConcatenate, true}}};
  net.initialisation = Initialisation::kXavier;
  std::vector<double> theta(parameter_count(net), 99);
  Stream stream({1, Purpose::kModelInit});
  initialise(net, stream, theta);
  for (std::size_t i = 240; i < 288; ++i) EXPECT_LE(std::abs(theta[i]), std::sqrt(6.0 / (24 + 8)));
  for (std::size_t i = 288; i < 528; ++i) EXPECT_LE(std::abs(theta[i]), std::sqrt(6.0 / 34));
  for (std::size_t i = 528; i < 552; ++i) EXPECT_EQ(theta[i], 0);
  EXPECT_EQ(theta.size(), 552U);
}

/// Random layers that fit: what comes out of JSON must be what went in.
class RandomArchitecture {
 public:
  explicit RandomArchitecture(std::uint64_t seed) : stream_({seed, Purpose::kTest}) {}

  Architecture make() {
    Architecture net{"random " + std::to_string(stream_.below(10)),
                     {1 + stream_.below(4), 6 + stream_.below(4), 6 + stream_.below(4)},
                     {}};
    const std::size_t layers = stream_.below(6);
    for (std::size_t i = 0; i < layers; ++i) net.layers.push_back(layer(2));
    net.layers.push_back(Dense{2 + stream_.below(5), coin()});
    net.loss = static_cast<LossKind>(stream_.below(3));
    net.reduction = static_cast<Reduction>(stream_.below(2));
    net.initialisation = static_cast<Initialisation>(stream_.below(3));
    return net;
  }

 private:
  bool coin() { return stream_.below(2) == 1; }
  Layer layer(std::size_t depth) {
    switch (stream_.below(depth > 0 ? 7 : 6)) {
      case 0:
        return Activate{static_cast<ActivationKind>(stream_.below(7))};
      case 1:
        return Convolve{1 + stream_.below(4), 3, 1, 1, 1, 0, coin()};
      case 2:
        return Pool{static_cast<PoolKind>(stream_.below(2)), 1, 1, coin()};
      case 3:
        return BatchNorm{coin(), 1e-3 * (1 + stream_.uniform())};
      case 4:
        return Dropout{stream_.uniform()};
      case 5:
        return coin() ? Layer(GraphConvolve{1 + stream_.below(4), coin()})
                      : Layer(GraphAttend{1 + stream_.below(3), 2, static_cast<Join>(stream_.below(2)),
                                          coin(), coin()});
      default: {
        // Branches that keep the shape can be joined either way.
        Parallel block{static_cast<Join>(stream_.below(2)), {{}, {Activate{}}}};
        if (coin()) block.branches[1].push_back(Parallel{Join::kAdd, {{Dropout{0.25}}, {}}});
        return block;
      }
    }
  }
  Stream stream_;
};

TEST(Architecture, SurvivesJson) {
  std::size_t fitting = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Architecture net = RandomArchitecture(seed).make();
    try {
      place(net);
    } catch (const Error&) {
      continue;  // a convolution after a graph layer has made a vector of the picture
    }
    ++fitting;
    const Json json = to_json(net);
    const Architecture again = architecture_from_json(Json::parse(json.dump()));
    ASSERT_EQ(to_json(again).dump(), json.dump());
    ASSERT_EQ(parameter_count(again), parameter_count(net));
    ASSERT_EQ(again.layers.size(), net.layers.size());
  }
  EXPECT_GT(fitting, 100U);
}

TEST(Architecture, JsonIsWhatTheDocumentationShows) {
  const Architecture net{"tiny", {4}, {Activate{ActivationKind::kGelu}, Dense{2, false}}};
  EXPECT_EQ(to_json(net).dump(),
            R"({"name":"tiny","input":[4,1,1],"layers":[{"kind":"activate","function":"gelu"},)"
            R"({"kind":"dense","outputs":2,"bias":false}],"loss":"softmax_cross_entropy","reduction":"mean",)"
            R"("initialisation":"fan_in"})");
}

TEST(Architecture, HostileJsonIsRefusedInOneSentence) {
  const Json good = to_json({"tiny", {4}, {Dense{2}}});
  const auto refuse = [&](const std::function<void(Json&)>& spoil) {
    Json bad = good;
    spoil(bad);
    return refusal([&] { architecture_from_json(bad); });
  };
  EXPECT_THAT(refuse([](Json& j) { j = 5; }), HasSubstr("JSON object"));
  EXPECT_THAT(refuse([](Json& j) { j.erase("loss"); }), HasSubstr("\"loss\" is missing"));
  EXPECT_THAT(refuse([](Json& j) { j["extra"] = 1; }), HasSubstr("unknown key \"extra\""));
  EXPECT_THAT(refuse([](Json& j) { j["name"] = 1; }), HasSubstr("must be a text"));
  EXPECT_THAT(refuse([](Json& j) { j["input"] = {1, 2}; }), HasSubstr("[channels, height, width]"));
  EXPECT_THAT(refuse([](Json& j) { j["input"] = {1, -2, 3}; }), HasSubstr("not negative"));
  EXPECT_THAT(refuse([](Json& j) { j["input"] = {1, 2.5, 3}; }), HasSubstr("whole number"));
  EXPECT_THAT(refuse([](Json& j) { j["input"] = {1, 18446744073709551615ULL, 3}; }), HasSubstr("above"));
  EXPECT_THAT(refuse([](Json& j) { j["layers"] = 3; }), HasSubstr("must be an array"));
  EXPECT_THAT(refuse([](Json& j) { j["layers"][0] = 3; }), HasSubstr("layer 0: expected a JSON object"));
  EXPECT_THAT(refuse([](Json& j) { j["layers"][0]["kind"] = "dens"; }), HasSubstr("did you mean \"dense\""));
  EXPECT_THAT(refuse([](Json& j) { j["layers"][0]["kind"] = "a\nb"; }), HasSubstr("a\\nb"));
  EXPECT_THAT(refuse([](Json& j) { j["layers"][0]["bias"] = 1; }), HasSubstr("true or false"));
  EXPECT_THAT(refuse([](Json& j) { j["layers"][0]["outputs"] = 1e300; }), HasSubstr("whole number"));
  EXPECT_THAT(refuse([](Json& j) { j["layers"][0]["outputs"] = 0; }), HasSubstr("at least 1"));
  EXPECT_THAT(refuse([](Json& j) { j["layers"] = Json::array(); }), HasSubstr("at least one layer"));
  EXPECT_THAT(refuse([](Json& j) {
                j["layers"][0] = {{"kind", "dropout"}, {"rate", "half"}};
              }),
              HasSubstr("must be a number"));
  EXPECT_THAT(refuse([](Json& j) {
                Json layer{{"kind", "parallel"}, {"join", "add"}, {"branches", Json::array()}};
                for (int i = 0; i < 100; ++i) {
                  layer = Json{{"kind", "parallel"}, {"join", "add"}, {"branches", {Json::array({layer})}}};
                }
                j["layers"][0] = layer;
              }),
              HasSubstr("nested more than 16 deep"));
}

}  // namespace
}  // namespace earshot
