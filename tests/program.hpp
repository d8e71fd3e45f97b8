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

/// A signal sent once, as soon as a condition holds.
struct Signal {
  int number = 0;
  std::function<bool()> when;
};

/// Runs EARSHOT_PROGRAM in `directory`.
Outcome run_program(const std::vector<std::string>& arguments, const std::filesystem::path& directory,
                    const Signal& signal = {});

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
