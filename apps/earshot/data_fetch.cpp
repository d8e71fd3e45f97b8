#include "data_fetch.hpp"

#include <memory>

#include <fmt/format.h>

#include "console.hpp"
#include "earshot/core/error.hpp"
#include "earshot/data/catalogue/fetch.hpp"

namespace earshot::cli {
namespace {

struct FetchArguments {
  std::string name;
  std::string from;
  bool json = false;
};

/// What became of one dataset.
struct Fetched {
  Json files = Json::array();
  bool by_hand = false;
  std::string error;  // empty: none
  Fault fault = Fault::kData;
};

Fetched fetch_one(const DatasetEntry& entry, const FetchOptions& options) {
  Fetched result;
  try {
    for (const FetchedFile& one : fetch(entry, options)) {
      result.files.push_back({{"file", one.file->path}, {"outcome", to_string(one.outcome)}});
      result.by_hand = result.by_hand || one.outcome == FetchOutcome::kByHand;
    }
  } catch (const Error& error) {
    if (error.fault() == Fault::kInterrupted) throw;
    result.error = error.what();
    result.fault = error.fault();
  }
  return result;
}

/// `alone`: what is wrong is about to be the command's own error.
void print_text(const DatasetEntry& entry, const Fetched& fetched, bool alone) {
  for (const Json& file : fetched.files)
    fmt::print("{:<8} {}\n", file["outcome"].get<std::string>(), file["file"].get<std::string>());
  if (!alone && !fetched.error.empty()) fmt::print("failed   {}\n", fetched.error);
  if (!alone && fetched.by_hand) fmt::print("         to get {}: {}\n", entry.name, entry.how_to_get);
  for (const Json& file : fetched.files) {
    if (file["outcome"] != to_string(FetchOutcome::kFetched)) continue;
    fmt::print("         {}: licence {}; cite {}\n", entry.name, entry.licence, entry.citation);
    break;
  }
}

Json to_json(const DatasetEntry& entry, const Fetched& fetched) {
  Json one{{"name", entry.name},
           {"licence", entry.licence},
           {"citation", entry.citation},
           {"files", fetched.files}};
  if (!fetched.error.empty()) one["error"] = fetched.error;
  if (fetched.by_hand) one["how_to_get"] = entry.how_to_get;
  return one;
}

/// One dataset, or every one. All are tried; the first failure is the command's, and so is a dataset that was
/// asked for by name and has to be got by hand.
void fetch_datasets(const FetchArguments& arguments) {
  const FetchOptions options{.directory = data_directory(), .mirror = fetch_mirror(arguments.from)};
  if (!arguments.name.empty()) find_dataset(arguments.name);
  Json all = Json::array();
  std::string failure;
  Fault fault = Fault::kData;
  for (const DatasetEntry& entry : catalogue()) {
    if (!arguments.name.empty() && entry.name != arguments.name) continue;
    const Fetched fetched = fetch_one(entry, options);
    all.push_back(to_json(entry, fetched));
    if (!arguments.json) print_text(entry, fetched, !arguments.name.empty());
    if (failure.empty() && !fetched.error.empty()) {
      failure = fetched.error;
      fault = fetched.fault;
    }
    if (failure.empty() && fetched.by_hand && !arguments.name.empty())
      failure =
          fmt::format("dataset {} cannot be fetched whole; to get it: {}", entry.name, entry.how_to_get);
  }
  if (arguments.json) print_json({{"directory", options.directory.string()}, {"datasets", all}});
  if (!failure.empty()) fail(fault, failure);
}

}  // namespace

void add_data_fetch(CLI::App& data) {
  auto arguments = std::make_shared<FetchArguments>();
  CLI::App* fetch = data.add_subcommand("fetch", "Download what is missing, from the official sources");
  fetch->add_option("NAME", arguments->name, "one dataset only");
  fetch->add_option("--from", arguments->from,
                    "URL of a server that has the files as HOST/PATH (also $EARSHOT_FETCH_MIRROR)");
  fetch->add_flag("--json", arguments->json, "print one JSON document on stdout");
  fetch->callback([arguments] { fetch_datasets(*arguments); });
}

}  // namespace earshot::cli
