#include <memory>

#include <fmt/format.h>

#include "commands.hpp"
#include "console.hpp"
#include "data_describe.hpp"
#include "data_fetch.hpp"
#include "data_partition.hpp"
#include "earshot/core/error.hpp"
#include "earshot/data/catalogue/catalogue.hpp"

namespace earshot::cli {
namespace {

struct DataOptions {
  std::string name;
  bool json = false;
};

Json entry_json(const DatasetEntry& entry) {
  return {{"name", entry.name},         {"summary", entry.summary},       {"licence", entry.licence},
          {"citation", entry.citation}, {"how_to_get", entry.how_to_get}, {"files", entry.files.size()}};
}

void list_datasets(const DataOptions& options) {
  Json all = Json::array();
  for (const DatasetEntry& entry : catalogue()) {
    const bool present = is_present(entry, data_directory());
    Json one = entry_json(entry);
    one["present"] = present;
    all.push_back(one);
    if (!options.json) {
      fmt::print("{:<24} {:<8} {}\n{:33} licence: {}\n", entry.name, present ? "present" : "missing",
                 entry.summary, "", entry.licence);
      if (!present) fmt::print("{:33} {}\n", "", entry.how_to_get);
    }
  }
  if (options.json) print_json({{"directory", data_directory().string()}, {"datasets", all}});
}

void verify_datasets(const DataOptions& options) {
  Json all = Json::array();
  std::size_t bad = 0;
  for (const DatasetEntry& entry : catalogue()) {
    if (!options.name.empty() && entry.name != options.name) continue;
    for (const FileStatus& status : verify(entry, data_directory())) {
      bad += is_good(status.state) ? 0U : 1U;
      all.push_back({{"dataset", entry.name},
                     {"file", status.file->path},
                     {"state", to_string(status.state)},
                     {"detail", status.detail}});
      if (!options.json)
        fmt::print("{:<15} {:<40} {}\n", to_string(status.state), status.file->path, status.detail);
    }
  }
  if (options.json) print_json({{"directory", data_directory().string()}, {"files", all}});
  if (bad > 0)
    fail(Fault::kData, fmt::format("{} of {} files are not as they should be; looked in {}", bad, all.size(),
                                   data_directory().string()));
}

}  // namespace

void add_data_command(CLI::App& app) {
  CLI::App* data =
      app.add_subcommand("data", "The datasets: which are here, and are they what they say they are");
  data->require_subcommand(1);
  auto options = std::make_shared<DataOptions>();
  CLI::App* list = data->add_subcommand("list", "Known datasets, their licences, and where to get them");
  list->add_flag("--json", options->json, "print one JSON document on stdout");
  list->callback([options] { list_datasets(*options); });
  CLI::App* check = data->add_subcommand("verify", "Check every file by size and SHA-256");
  check->add_option("NAME", options->name, "one dataset only");
  check->add_flag("--json", options->json, "print one JSON document on stdout");
  check->callback([options] {
    if (!options->name.empty()) find_dataset(options->name);
    verify_datasets(*options);
  });
  add_describe_command(*data);
  add_partition_command(*data);
  add_data_fetch(*data);
}

}  // namespace earshot::cli
