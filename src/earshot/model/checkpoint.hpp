// A trained network in a file: docs/models.md has the format, byte by byte.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "earshot/core/json.hpp"
#include "earshot/model/architecture.hpp"

namespace earshot {

/// A network that is a user's TorchScript file: the file itself stays outside the checkpoint.
struct ScriptReference {
  std::string sha256;  // of the TorchScript file, lower-case hex
  Shape input;
  std::size_t outputs = 0;
  LossKind loss = LossKind::kSoftmaxCrossEntropy;
  Reduction reduction = Reduction::kMean;
  bool operator==(const ScriptReference&) const = default;
};

struct Checkpoint {
  std::variant<Architecture, ScriptReference> network;
  Json provenance = Json::object();  // where it came from: data, seed, steps, metrics
  std::vector<double> parameters;
  std::vector<double> buffers;
};

/// Refuses parameters that are not finite or do not fit the network.
std::string to_bytes(const Checkpoint& checkpoint);
/// Hostile input: refuses, in one sentence, whatever to_bytes() would not have written.
Checkpoint parse_checkpoint(std::span<const std::uint8_t> bytes);

void save_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint);
Checkpoint load_checkpoint(const std::filesystem::path& path);
/// By its first bytes.
bool looks_like_checkpoint(const std::filesystem::path& path);

}  // namespace earshot
