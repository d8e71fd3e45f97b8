// Runs every tests/scenarios/*.scenario: a run in text, what it must find, what it must refuse.
//
//   file NAME ... end            writes a file into the scenario's directory
//   run ARGUMENTS                must succeed; with --json it is run again on 1 and 2 threads and must not
//   differ by a byte expect POINTER equals JSON | within TOLERANCE of NUMBER | between LOW and HIGH | size N
//   about the JSON of the last run prints TEXT                  the last run's output contains it refuse CODE
//   ARGUMENTS        must exit with CODE, say why in lines of their own, and write nothing saying TEXT the
//   last refusal contains it needs DATASET                the scenario needs it (skipped, or failed when data
//   is required)
//   needs torch engine           skipped in a build without libtorch
//
// ${SOURCE} stands for the source directory. Lines starting with # say what is shown and why each band is as
// it is.
#include <algorithm>
#include <cmath>
#include <sstream>

#include <gtest/gtest.h>

#include "earshot/core/files.hpp"
#include "earshot/core/json.hpp"
#include "earshot/data/catalogue/test_data.hpp"
#include "program.hpp"
#include "source_dir.hpp"

namespace earshot::testing {
namespace {

std::vector<std::filesystem::path> scenario_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(EARSHOT_SOURCE_DIR "/tests/scenarios")) {
    if (entry.path().extension() == ".scenario") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string first_word(std::string& text) {
  const std::size_t end = text.find(' ');
  std::string word = text.substr(0, end);
  text = end == std::string::npos ? "" : text.substr(end + 1);
  return word;
}

bool is_a_run(const std::vector<std::string>& arguments) {
  return !arguments.empty() &&
         (arguments[0] == "run" || arguments[0] == "audit" || arguments[0] == "recommend");
}

/// How long an attack took is never the same twice: columns named "seconds", in tables and their summaries.
Json without_seconds(Json document) {
  if (document.is_object()) document.erase("seconds");
  const bool table = document.is_object() && document.contains("columns") && document.contains("rows");
  if (table) {
    const Json& columns = document["columns"];
    const auto place = std::find(columns.begin(), columns.end(), "seconds") - columns.begin();
    for (Json& row : document["rows"]) {
      if (static_cast<std::size_t>(place) < row.size()) row[static_cast<std::size_t>(place)] = nullptr;
    }
    return document;
  }
  if (document.is_structured()) {
    for (Json& part : document) part = without_seconds(std::move(part));
  }
  return document;
}

class Scenario {
 public:
  void play(const std::filesystem::path& file) {
    std::istringstream lines(read_text(file));
    std::string line;
    for (int number = 1; std::getline(lines, line); ++number) {
      SCOPED_TRACE(file.filename().string() + ":" + std::to_string(number) + ": " + line);
      replace_source(line);
      if (line.empty() || line[0] == '#') continue;
      const std::string verb = first_word(line);
      if (verb == "file")
        number += write_file(line, lines);
      else if (!obey(verb, line))
        return;
      if (::testing::Test::HasFatalFailure() || ::testing::Test::IsSkipped()) return;
    }
  }

 private:
  static void replace_source(std::string& line) {
    const std::string mark = "${SOURCE}";
    for (std::size_t at = line.find(mark); at != std::string::npos; at = line.find(mark)) {
      line.replace(at, mark.size(), EARSHOT_SOURCE_DIR);
    }
  }

  int write_file(const std::string& name, std::istringstream& lines) {
    std::string content;
    std::string line;
    int count = 0;
    while (std::getline(lines, line) && line != "end") {
      content += line + "\n";
      ++count;
    }
    write_atomically(directory_.path() / name, content);
    return count + 1;
  }

  bool obey(const std::string& verb, const std::string& rest) {
    if (verb == "needs")
      need(rest);
    else if (verb == "run")
      run(rest);
    else if (verb == "expect")
      expect(rest);
    else if (verb == "prints")
      EXPECT_NE(last_.out.find(rest), std::string::npos) << last_.out;
    else if (verb == "refuse")
      refuse(rest);
    else if (verb == "saying")
      EXPECT_NE(last_.err.find(rest), std::string::npos) << last_.err;
    else
      ADD_FAILURE() << "a scenario has no verb \"" << verb << "\"";
    return !::testing::Test::IsSkipped();
  }

  static void need(const std::string& what) {
    if (what != "torch engine") {
      EARSHOT_NEEDS_DATASET(what);
    } else if (!std::filesystem::exists(std::filesystem::path(EARSHOT_PROGRAM).parent_path() /
                                        "earshot_torch.so")) {
      GTEST_SKIP() << "built without libtorch";
    }
  }

  Outcome start(std::vector<std::string> arguments, const std::string& threads) {
    if (is_a_run(arguments)) {
      arguments.push_back("--out");
      arguments.push_back((directory_.path() / ("out" + std::to_string(runs_++))).string());
    }
    if (!threads.empty()) arguments.insert(arguments.end(), {"--threads", threads});
    return run_program(arguments, directory_.path());
  }

  void run(const std::string& line) {
    const auto arguments = split_command(line);
    const bool json = std::find(arguments.begin(), arguments.end(), "--json") != arguments.end();
    const bool threaded =
        json && (is_a_run(arguments) || arguments[0] == "topology" || arguments[0] == "train");
    last_ = start(arguments, threaded ? "1" : "");
    ASSERT_EQ(last_.exit_code, 0) << last_.err;
    if (threaded) {
      const Outcome again = start(arguments, "2");
      ASSERT_EQ(again.exit_code, 0) << again.err;
      EXPECT_TRUE(again.out == last_.out ||
                  without_seconds(Json::parse(again.out)) == without_seconds(Json::parse(last_.out)))
          << "the result depends on the number of threads";
    }
    document_ = json ? Json::parse(last_.out) : Json();
  }

  void expect(std::string line) {
    const std::string pointer = first_word(line);
    const std::string how = first_word(line);
    const Json::json_pointer where(pointer);
    ASSERT_TRUE(document_.contains(where)) << "nothing at " << pointer;
    const Json& value = document_.at(where);
    std::istringstream words(line);
    double first = 0;
    double second = 0;
    std::string between;
    if (how == "equals") {
      EXPECT_EQ(value, Json::parse(line));
    } else if (how == "size" && words >> first) {
      EXPECT_EQ(static_cast<double>(value.size()), first);
    } else if (how == "within" && words >> first >> between >> second) {
      EXPECT_NEAR(value.get<double>(), second, first);
    } else if (how == "between" && words >> first >> between >> second) {
      EXPECT_GE(value.get<double>(), first);
      EXPECT_LE(value.get<double>(), second);
    } else {
      ADD_FAILURE() << "cannot read this expectation";
    }
  }

  void refuse(std::string line) {
    const int code = std::stoi(first_word(line));
    const auto before = count_files();
    last_ = start(split_command(line), "");
    EXPECT_EQ(last_.exit_code, code) << last_.err;
    EXPECT_EQ(last_.out, "");
    EXPECT_EQ(count_files(), before) << "bad input must write nothing";
    std::istringstream lines(last_.err);
    std::string message;
    while (std::getline(lines, message)) EXPECT_TRUE(message.starts_with("earshot: ")) << message;
  }

  std::size_t count_files() const {
    const auto all = std::filesystem::recursive_directory_iterator(directory_.path());
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
  }

  ScratchDirectory directory_;
  Outcome last_;
  Json document_;
  int runs_ = 0;
};

class Scenarios : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(Scenarios, Plays) {
  Scenario scenario;
  scenario.play(GetParam());
}

INSTANTIATE_TEST_SUITE_P(All, Scenarios, ::testing::ValuesIn(scenario_files()), [](const auto& info) {
  std::string name = info.param.stem().string();
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
});

}  // namespace
}  // namespace earshot::testing
