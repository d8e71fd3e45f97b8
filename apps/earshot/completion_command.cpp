#include <memory>

#include <fmt/format.h>

#include "commands.hpp"
#include "earshot/audit/catalogue.hpp"
#include "earshot/core/text.hpp"
#include "earshot/pipeline/components.hpp"

namespace earshot::cli {
namespace {

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

/// What may follow a command: its options, its own subcommands, and names that are known in advance.
std::vector<std::string> words_after(const CLI::App& command) {
  std::vector<std::string> words = option_names(command);
  for (const CLI::App* child : command.get_subcommands({})) words.push_back(child->get_name());
  const auto add = [&](const std::vector<std::string>& more) {
    words.insert(words.end(), more.begin(), more.end());
  };
  if (command.get_name() == "topology") add(standard_catalogue().names("graph"));
  if (command.get_name() == "verify") {
    for (const AuditComponent& audit : audit_components()) words.push_back(audit.schema.name);
  }
  if (command.get_name() == "list") add({component_roles().begin(), component_roles().end()});
  if (command.get_name() == "completion") add({"bash", "zsh", "fish"});
  return words;
}

std::string bash_script(const CLI::App& app) {
  std::string script = "_earshot() {\n  local words=\"\"\n  case \"${COMP_WORDS[1]}\" in\n";
  std::vector<std::string> commands;
  for (const CLI::App* command : app.get_subcommands({})) {
    commands.push_back(command->get_name());
    script += fmt::format("    {}) words=\"{}\" ;;\n", command->get_name(), join(words_after(*command), " "));
  }
  script += "  esac\n";
  script +=
      fmt::format("  [ \"$COMP_CWORD\" -eq 1 ] && words=\"{} --version --help\"\n", join(commands, " "));
  script += "  COMPREPLY=( $(compgen -W \"$words\" -- \"${COMP_WORDS[COMP_CWORD]}\") )\n";
  return script + "}\ncomplete -o default -F _earshot earshot\n";
}

std::string fish_script(const CLI::App& app) {
  std::string script = "complete -c earshot -n __fish_use_subcommand -l version -d 'print the version'\n";
  for (const CLI::App* command : app.get_subcommands({})) {
    script += fmt::format("complete -c earshot -n __fish_use_subcommand -f -a {}\n", command->get_name());
    script += fmt::format("complete -c earshot -n '__fish_seen_subcommand_from {}' -a '{}'\n",
                          command->get_name(), join(words_after(*command), " "));
  }
  return script;
}

}  // namespace

void add_completion_command(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("completion", "Print a completion script: eval \"$(earshot completion bash)\"");
  auto shell = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->callback([shell, &app] {
    if (*shell == "zsh") fmt::print("autoload -U +X bashcompinit && bashcompinit\n");
    fmt::print("{}", *shell == "fish" ? fish_script(app) : bash_script(app));
  });
}

}  // namespace earshot::cli
