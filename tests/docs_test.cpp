// Every command in the README and in docs/ is run: a line starting with "earshot " inside a ```sh block must
// succeed.
#include <sstream>

#include <gtest/gtest.h>

#include "earshot/core/files.hpp"
#include "earshot/data/catalogue/test_data.hpp"
#include "program.hpp"
#include "source_dir.hpp"

namespace earshot::testing {
namespace {

std::vector<std::string> commands_of(const std::filesystem::path& page) {
  std::istringstream lines(read_text(page));
  std::vector<std::string> commands;
  std::string line;
  bool inside = false;
  while (std::getline(lines, line)) {
    if (line.starts_with("```"))
      inside = line == "```sh";
    else if (inside && line.starts_with("earshot "))
      commands.push_back(line.substr(8));
  }
  return commands;
}

TEST(Documentation, EveryCommandRuns) {
  EARSHOT_NEEDS_DATASET("mnist");
  EARSHOT_NEEDS_DATASET("cifar10");
  EARSHOT_NEEDS_DATASET("facebook-ego");
  EARSHOT_NEEDS_DATASET("digits");
  EARSHOT_NEEDS_DATASET("gowalla");
  EARSHOT_NEEDS_DATASET("insurance");
  std::vector<std::filesystem::path> pages = {EARSHOT_SOURCE_DIR "/README.md"};
  for (const auto& entry : std::filesystem::directory_iterator(EARSHOT_SOURCE_DIR "/docs")) {
    if (entry.path().extension() == ".md") pages.push_back(entry.path());
  }
  const ScratchDirectory scratch;
  std::filesystem::create_directory_symlink(EARSHOT_SOURCE_DIR "/experiments",
                                            scratch.path() / "experiments");
  write_atomically(scratch.path() / "my-network.edges", "# who talks to whom\na b\nb c\nc d\nd a\nd e\n");
  write_atomically(scratch.path() / "my-places.csv",
                   "who,lat,lon\nanne,48.8606,2.3376\nanne,48.8584,2.2945\nbob,48.8530,2.3499\n");
  write_atomically(scratch.path() / "minutes.csv", "0,4,9\n4,0,6\n9,6,0\n");
  write_atomically(scratch.path() / "stops.txt", "0\n2\n1\n1\n");
  std::size_t count = 0;
  for (const auto& page : pages) {
    for (const std::string& command : commands_of(page)) {
      const std::string without_comment = command.substr(0, command.find(" #"));
      const Outcome outcome = run_program(split_command(without_comment), scratch.path());
      EXPECT_EQ(outcome.exit_code, 0) << page.filename() << ": earshot " << command << "\n" << outcome.err;
      ++count;
    }
  }
  EXPECT_GT(count, 5U);
}

}  // namespace
}  // namespace earshot::testing
