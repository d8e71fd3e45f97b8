// Runs the built program as a user would: arguments in, exit code and output out.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace earshot::testing {

struct Outcome {
  int exit_code = -1;  // 128 + signal when killed
  std::string out;
  std::string err;
};

/// Runs EARSHOT_PROGRAM in `directory`. With `kill_when`, sends SIGKILL as soon as that condition holds.
Outcome run_program(const std::vector<std::string>& arguments, const std::filesystem::path& directory,
                    const std::function<bool()>& kill_when = {});

/// A fresh directory, removed when the object dies.
class ScratchDirectory {
 public:
  ScratchDirectory();
  ~ScratchDirectory();
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Splits a command line at blanks; 'single' and "double" quotes group words.
std::vector<std::string> split_command(const std::string& line);

}  // namespace earshot::testing
