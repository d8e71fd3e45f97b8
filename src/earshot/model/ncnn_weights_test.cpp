#include "earshot/model/ncnn_weights.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/core/error.hpp"
#include "earshot/data/formats/corpus.hpp"
#include "source_dir.hpp"

namespace earshot {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A sample is the text, a zero byte, the numbers.
std::vector<NcnnConvolution> parse_sample(const Bytes& bytes) {
  const auto zero = std::ranges::find(bytes, 0);
  const std::string text(bytes.begin(), zero);
  const std::size_t skipped = std::min(text.size() + 1, bytes.size());
  return parse_ncnn(text, std::span(bytes).subspan(skipped));
}

std::vector<NcnnConvolution> sample() {
  return parse_sample(read_bytes(EARSHOT_SOURCE_DIR "/tests/corpus/ncnn/good-two"));
}

TEST(Ncnn, AcceptsAndRefusesTheSamples) {
  testing::check_corpus("ncnn", [](const Bytes& bytes) { parse_sample(bytes); });
}

TEST(Ncnn, ReadsHalvesAndFloats) {
  const auto convolutions = sample();
  ASSERT_EQ(convolutions.size(), 2U);
  EXPECT_THAT(convolutions[0].weights, ElementsAre(0.5F, -1.25F));
  EXPECT_THAT(convolutions[0].biases, ElementsAre(0.1F, 0.2F));
  // The smallest half there is: 2^-24.
  EXPECT_THAT(convolutions[1].weights, ElementsAre(1.0F, 2.0F, -5.9604645e-8F));
  EXPECT_THAT(convolutions[1].biases, ElementsAre(3.0F));
}

Architecture network(std::size_t inputs, std::size_t middle, std::size_t classes) {
  return {"net", {inputs, 2, 2}, {Convolve{middle}, Convolve{classes}}};
}

std::string refusal(const Architecture& net, std::span<const NcnnConvolution> convolutions) {
  std::vector<double> parameters(parameter_count(net));
  try {
    take_weights(convolutions, net, parameters);
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kData);
    return error.what();
  }
  return "";
}

TEST(Ncnn, FillsAnArchitectureThatFits) {
  std::vector<NcnnConvolution> convolutions = sample();
  convolutions[1].weights.pop_back();  // two channels in, one out
  const Architecture net = network(1, 2, 1);
  std::vector<double> parameters(parameter_count(net), 9);
  take_weights(convolutions, net, parameters);
  EXPECT_THAT(parameters, ElementsAre(0.5, -1.25, 0.1F, 0.2F, 1, 2, 3));
  const Architecture other_head = network(1, 2, 2);
  parameters.assign(parameter_count(other_head), 9);
  take_weights(convolutions, other_head, parameters);
  EXPECT_THAT(parameters, ElementsAre(0.5, -1.25, 0.1F, 0.2F, 9, 9, 9, 9, 9, 9));
}

TEST(Ncnn, RefusesAnArchitectureThatDoesNotFit) {
  const auto convolutions = sample();
  EXPECT_THAT(refusal(network(1, 2, 1), convolutions), HasSubstr("convolution 2"));  // three channels in
  EXPECT_THAT(refusal(network(2, 3, 1), convolutions), HasSubstr("convolution 1"));
  EXPECT_THAT(refusal({"net", {1, 2, 2}, {Convolve{2}}}, convolutions), HasSubstr("has 2 convolutions"));
  EXPECT_THAT(refusal({"net", {1, 4, 4}, {Convolve{2, 1, 1, 2}, Convolve{1}}}, convolutions),
              HasSubstr("convolution 1"));
}

}  // namespace
}  // namespace earshot
