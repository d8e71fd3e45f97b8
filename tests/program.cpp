#include "program.hpp"

#include <cstdlib>
#include <stdexcept>
#include <thread>

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "earshot/core/files.hpp"

namespace earshot::testing {
namespace {

[[noreturn]] void become_program(const std::vector<std::string>& arguments,
                                 const std::filesystem::path& directory, const std::filesystem::path& out,
                                 const std::filesystem::path& err) {
  std::vector<char*> argv = {const_cast<char*>(EARSHOT_PROGRAM)};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const int out_file = ::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const int err_file = ::open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (::chdir(directory.c_str()) != 0 || ::dup2(out_file, 1) < 0 || ::dup2(err_file, 2) < 0) ::_exit(127);
  ::execv(EARSHOT_PROGRAM, argv.data());
  ::_exit(127);
}

int wait_for(pid_t child, const Signal& signal) {
  int status = 0;
  bool sent = !signal.when;
  while (::waitpid(child, &status, sent ? 0 : WNOHANG) == 0) {
    if (signal.when()) {
      ::kill(child, signal.number);
      sent = true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

Outcome run_program(const std::vector<std::string>& arguments, const std::filesystem::path& directory,
                    const Signal& signal) {
  const ScratchDirectory scratch;
  const auto out = scratch.path() / "out";
  const auto err = scratch.path() / "err";
  for (const auto& file : {out, err}) write_atomically(file, "");  // a child killed at once opens neither
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) become_program(arguments, directory, out, err);
  Outcome outcome;
  outcome.exit_code = wait_for(child, signal);
  outcome.out = read_text(out);
  outcome.err = read_text(err);
  return outcome;
}

ScratchDirectory::ScratchDirectory() {
  std::string name = (std::filesystem::temp_directory_path() / "earshot-test-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no scratch directory");
  path_ = name;
}

ScratchDirectory::~ScratchDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::vector<std::string> split_command(const std::string& line) {
  std::vector<std::string> words;
  std::string word;
  char quote = 0;
  bool started = false;
  for (const char c : line) {
    if (quote != 0) {
      if (c == quote)
        quote = 0;
      else
        word += c;
    } else if (c == '\'' || c == '"') {
      quote = c;
      started = true;
    } else if (c == ' ' || c == '\t') {
      if (started) words.push_back(word);
      word.clear();
      started = false;
    } else {
      word += c;
      started = true;
    }
  }
  if (started) words.push_back(word);
  return words;
}

}  // namespace earshot::testing
