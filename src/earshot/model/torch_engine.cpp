#include "earshot/model/torch_engine.hpp"

#include <cstdlib>
#include <string>
#include <system_error>

#include <dlfcn.h>
#include <fmt/format.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

/// $EARSHOT_PLUGINS, or where the running program lies.
std::filesystem::path plugin_folder() {
  if (const char* folder = std::getenv("EARSHOT_PLUGINS")) return folder;
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error)
    fail(Fault::kConfig,
         "cannot tell where this program lies; set EARSHOT_PLUGINS to the folder of earshot_torch.so");
  return program.parent_path();
}

const TorchEngine& load_engine() {
  const std::filesystem::path path = plugin_folder() / "earshot_torch.so";
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    fail(Fault::kConfig,
         fmt::format(
             "the torch engine is not there: no {}; install libtorch (Debian: libtorch-dev) and build again, "
             "or set EARSHOT_PLUGINS to its folder",
             path.string()));
  }
  // Never closed: libtorch does not survive being unloaded.
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    fail(Fault::kConfig, fmt::format("the torch engine cannot be loaded: {}", dlerror()));
  using Entry = const TorchEngine*(int);
  auto* entry = reinterpret_cast<Entry*>(dlsym(library, "earshot_torch_engine"));
  const TorchEngine* engine = entry == nullptr ? nullptr : entry(kTorchSeamVersion);
  if (engine == nullptr) {
    fail(Fault::kConfig,
         fmt::format("{} belongs to another version of earshot; build both again", path.string()));
  }
  return *engine;
}

}  // namespace

const TorchEngine& torch_engine() {
  static const TorchEngine& engine = load_engine();
  return engine;
}

}  // namespace earshot
