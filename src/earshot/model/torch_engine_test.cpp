#include "earshot/model/torch_engine.hpp"

#include <cstdlib>
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "earshot/core/error.hpp"
#include "earshot/core/files.hpp"

namespace earshot {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::ThrowsMessage;

class TorchEnginePlugin : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(folder_);
    setenv("EARSHOT_PLUGINS", folder_.c_str(), 1);
  }
  void TearDown() override {
    unsetenv("EARSHOT_PLUGINS");
    std::filesystem::remove_all(folder_);
  }

  std::filesystem::path folder_ = std::filesystem::path(::testing::TempDir()) / "earshot-no-plugins";
};

TEST_F(TorchEnginePlugin, SaysWhatToDoWhenItIsAbsent) {
  EXPECT_THAT([] { torch_engine(); },
              ThrowsMessage<Error>(AllOf(HasSubstr("libtorch-dev"), HasSubstr("EARSHOT_PLUGINS"))));
}

TEST_F(TorchEnginePlugin, RefusesAFileThatIsNoLibraryInOneLine) {
  write_atomically(folder_ / "earshot_torch.so", "not a library");
  EXPECT_THAT([] { torch_engine(); },
              ThrowsMessage<Error>(AllOf(HasSubstr("cannot be loaded"), Not(HasSubstr("\n")))));
}

}  // namespace
}  // namespace earshot
