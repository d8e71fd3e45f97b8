// earshot: what is within earshot of a curious participant, and how do you make it inaudible?
#include <exception>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "commands.hpp"
#include "earshot/core/error.hpp"
#include "earshot/core/interrupt.hpp"
#include "earshot/core/text.hpp"
#include "earshot/version.hpp"

namespace earshot::cli {
namespace {

/// The subcommands and options a mistyped word could have meant.
std::vector<std::string> known_words(const CLI::App& app) {
  std::vector<std::string> words;
  for (const CLI::App* command : app.get_subcommands({})) words.push_back(command->get_name());
  const auto chosen = app.get_subcommands();
  const CLI::App& where = chosen.empty() ? app : *chosen.front();
  for (const CLI::Option* option : where.get_options()) {
    for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
  }
  return words;
}

std::string one_line(std::string text) {
  for (char& c : text) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  return text;
}

int explain_usage_error(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  std::string message = one_line(error.what());
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr ||
      dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
    const auto words = known_words(app);
    for (int i = 1; i < argc; ++i) {
      const std::string given = std::string(argv[i]).substr(0, std::string(argv[i]).find('='));
      const bool known = std::find(words.begin(), words.end(), given) != words.end();
      if (known || !(given.starts_with("--") || i == 1)) continue;
      if (const auto nearest = nearest_spelling(given, words))
        message += fmt::format("; did you mean \"{}\"?", *nearest);
      break;
    }
  }
  fmt::print(stderr, "earshot: {}; see `earshot --help`\n", message);
  return exit_code(Fault::kUsage);
}

int run(int argc, char** argv) {
  CLI::App app{
      "earshot audits who can reconstruct whose data in decentralised learning, and what a guarantee is "
      "worth"};
  app.set_version_flag("--version", std::string("earshot ") + kVersion);
  app.require_subcommand(1);
  add_audit_command(app);
  add_topology_command(app);
  add_account_command(app);
  add_verify_command(app);
  add_run_command(app);
  add_train_command(app);
  add_collect_command(app);
  add_recommend_command(app);
  add_report_command(app);
  add_list_command(app);
  add_data_command(app);
  add_model_command(app);
  add_completion_command(app);
  try {
    app.parse(argc, argv);
    return 0;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help and --version
    return explain_usage_error(app, error, argc, argv);
  }
}

void print_error(const std::string& message) {
  std::size_t start = 0;
  while (start <= message.size()) {
    const std::size_t end = std::min(message.find('\n', start), message.size());
    fmt::print(stderr, "earshot: {}\n", message.substr(start, end - start));
    start = end + 1;
  }
}

}  // namespace
}  // namespace earshot::cli

int main(int argc, char** argv) {
  try {
    earshot::catch_interrupts();
    return earshot::cli::run(argc, argv);
  } catch (const earshot::Error& error) {
    earshot::cli::print_error(error.what());
    return earshot::exit_code(error.fault());
  } catch (const std::exception& error) {
    earshot::cli::print_error(std::string("internal error, please report it: ") + error.what());
    return earshot::exit_code(earshot::Fault::kInternal);
  }
}
