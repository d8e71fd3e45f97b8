#include <memory>

#include <fmt/format.h>

#include "commands.hpp"
#include "console.hpp"
#include "earshot/core/error.hpp"
#include "earshot/core/files.hpp"
#include "earshot/report/html.hpp"
#include "earshot/report/markdown.hpp"
#include "earshot/report/terminal.hpp"

namespace earshot::cli {
namespace {

struct ReportOptions {
  std::string source;
  std::string format = "text";
  std::string out;
  bool json = false;
};

Json read_results(const std::string& source) {
  std::filesystem::path path = source;
  std::error_code code;
  if (std::filesystem::is_directory(path, code)) path /= "results.json";
  try {
    return Json::parse(read_text(path));
  } catch (const Json::exception& error) {
    fail(Fault::kData, fmt::format("{}: not a JSON document (byte {})", path.string(),
                                   dynamic_cast<const Json::parse_error*>(&error) == nullptr
                                       ? 0
                                       : dynamic_cast<const Json::parse_error&>(error).byte));
  }
}

void report(const ReportOptions& options) {
  const Json results = read_results(options.source);
  const std::string terminal = render_terminal(results, terminal_style());  // also checks the document
  std::string text = terminal;
  if (options.json)
    text = results.dump(2) + "\n";
  else if (options.format == "html")
    text = render_html(results);
  else if (options.format == "markdown")
    text = render_markdown(results, {results.at("command").get<std::string>(), 0});
  if (options.out.empty()) {
    fmt::print("{}", text);
    return;
  }
  write_atomically(options.out, text);
  note("written: " + options.out);
}

}  // namespace

void add_report_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("report", "Render stored results again: text, html or markdown");
  auto options = std::make_shared<ReportOptions>();
  command->add_option("RESULTS", options->source, "results.json, or the output directory of a run")
      ->required()
      ->type_name("DIR|FILE");
  command->add_option("--format", options->format, "text, html or markdown")
      ->check(CLI::IsMember({"text", "html", "markdown"}));
  command->add_option("--out", options->out, "write to this file instead of stdout")->type_name("FILE");
  command->add_flag("--json", options->json, "print the results document itself");
  command->callback([options] { report(*options); });
}

}  // namespace earshot::cli
