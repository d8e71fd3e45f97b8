#include "console.hpp"

#include <cstdlib>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "earshot/data/catalogue/catalogue.hpp"

namespace earshot::cli {

void add_common_options(CLI::App& command, CommonOptions& options) {
  command
      .add_option("--threads", options.threads,
                  "threads to use (0: one per core); results do not depend on it")
      ->check(CLI::Range(0, 4096));
  command.add_flag("--json", options.json, "print one JSON document on stdout");
}

void print_json(const Json& document) {
  fmt::print("{}\n", document.dump(2, ' ', false, Json::error_handler_t::replace));
}

void note(const std::string& text) {
  fmt::print(stderr, "{}\n", text);
}

TerminalStyle terminal_style() {
  TerminalStyle style;
  style.colour = isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr;
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) style.width = size.ws_col;
  return style;
}

GraphSources sources_from(const std::filesystem::path& working_directory) {
  return {data_directory(), working_directory};
}

}  // namespace earshot::cli
