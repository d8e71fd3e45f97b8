// Convolution weights from ncnn's two files: a text of layers (.param) and their numbers (.bin).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "earshot/model/architecture.hpp"

namespace earshot {

/// A square convolution with stride and padding alike in both directions, as the .param line says.
struct NcnnConvolution {
  std::string name;
  std::size_t channels = 0;
  std::size_t kernel = 0;
  std::size_t stride = 0;
  std::size_t padding = 0;
  std::vector<float> weights;  // [channels][in][ky][kx], stored in half precision
  std::vector<float> biases;
};

/// The convolutions in the order of the file. Refuses other layers with weights, other precisions, numbers
/// that are not finite, and a .bin with a byte too few or too many.
std::vector<NcnnConvolution> parse_ncnn(std::string_view param, std::span<const std::uint8_t> bin);
std::vector<NcnnConvolution> read_ncnn(const std::filesystem::path& param, const std::filesystem::path& bin);

/// Overwrites the parameters of the architecture's convolutions, in order, which must fit one by one. The
/// last one keeps its parameters if it has another number of channels: the fresh head of a network for other
/// classes.
void take_weights(std::span<const NcnnConvolution> convolutions, const Architecture& architecture,
                  std::span<double> parameters);

}  // namespace earshot
