// The libtorch engine, loaded on first use: its libraries take half a second to start, which no other command
// should pay.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "earshot/model/model.hpp"

namespace earshot {

/// What a TorchScript file does not say about itself.
struct ScriptOptions {
  Shape input;
  std::size_t outputs = 0;  // 0: found by running it once
  LossKind loss = LossKind::kSoftmaxCrossEntropy;
  Reduction reduction = Reduction::kMean;
};

/// Raised when TorchEngine, Model, Evaluation or what they exchange changes: a library of another version is
/// not used.
inline constexpr int kTorchSeamVersion = 1;

class TorchEngine {
 public:
  virtual ~TorchEngine() = default;
  virtual std::unique_ptr<Model> make(Architecture architecture) const = 0;
  /// A user's own TorchScript module: forward(records) -> outputs. The file is hostile input. The
  /// result's initialise() gives the parameters stored in the file.
  virtual std::unique_ptr<Model> load_script(const std::filesystem::path& path,
                                             const ScriptOptions& options) const = 0;
};

/// From earshot_torch.so, beside the program or in $EARSHOT_PLUGINS. Fails with Fault::kConfig when the
/// engine was not built or cannot be loaded.
const TorchEngine& torch_engine();

}  // namespace earshot
