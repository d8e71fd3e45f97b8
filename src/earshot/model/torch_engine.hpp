// The libtorch engine, loaded on first use: its libraries take half a second to start, which no other command
// should pay.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "earshot/model/model.hpp"
#include "earshot/model/perceptual_distance.hpp"

namespace earshot {

/// What a TorchScript file does not say about itself.
struct ScriptOptions {
  Shape input;
  std::size_t outputs = 0;  // 0: found by running it once
  LossKind loss = LossKind::kSoftmaxCrossEntropy;
  Reduction reduction = Reduction::kMean;
  /// Pullbacks by central differences of input gradients even where second derivatives exist: to compare.
  bool central_differences = false;
};

/// Raised when TorchEngine, Model, Evaluation or what they exchange changes: a library of another version is
/// not used.
inline constexpr int kTorchSeamVersion = 2;

class TorchEngine {
 public:
  virtual ~TorchEngine() = default;
  virtual std::unique_ptr<Model> make(Architecture architecture) const = 0;
  /// A user's own TorchScript module: forward(records) -> outputs. The file is hostile input. The
  /// result's initialise() gives the parameters stored in the file. A module without second derivatives is
  /// pulled back by central differences; its pullback_note() says so.
  virtual std::unique_ptr<Model> load_script(const std::filesystem::path& path,
                                             const ScriptOptions& options) const = 0;
  /// A user's own TorchScript module that compares pictures, as exported LPIPS modules do: forward(a, b) ->
  /// one distance per pair, for two batches N x 3 x height x width of values in [-1, 1]. Hostile input as
  /// well. Refused, as bad data, unless it takes two such batches and is a distance: one finite number per
  /// pair, not negative, 0 for equal pictures, the same whenever asked.
  virtual std::unique_ptr<PerceptualDistance> load_perceptual_distance(
      const std::filesystem::path& path) const = 0;
};

/// From earshot_torch.so, beside the program or in $EARSHOT_PLUGINS. Fails with Fault::kConfig when the
/// engine was not built or cannot be loaded.
const TorchEngine& torch_engine();

}  // namespace earshot
