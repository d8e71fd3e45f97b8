#include "earshot/training/training_data.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/core/text.hpp"
#include "earshot/data/graphs/graph_datasets.hpp"
#include "earshot/data/images/image_datasets.hpp"
#include "earshot/data/tables/schema_file.hpp"
#include "earshot/data/tables/table_encoder.hpp"
#include "earshot/data/tables/tabular_datasets.hpp"
#include "earshot/training/split.hpp"
#include "earshot/training/synthetic_data.hpp"

namespace earshot {
namespace {

using Path = std::filesystem::path;

Settings checked(const Schema& schema, const Json& given) {
  return valid_settings(schema, given, "data.");
}

template <class Components>
auto find(const Components& components, std::string_view name) {
  return std::ranges::find_if(components,
                              [&](const auto& component) { return component.schema.name == name; });
}

Stream selection(const DataChoice& choice, std::uint64_t what) {
  return Stream({choice.seed, Purpose::kDataSelection, 0, what, 0});
}

Split fold_of(const std::vector<std::size_t>& examples, const DataChoice& choice) {
  Stream stream = selection(choice, 3);
  return fold_split(examples, choice.fold, choice.folds, stream);
}
Split share_of(const std::vector<std::size_t>& examples, const DataChoice& choice) {
  Stream stream = selection(choice, 0);
  return random_split(examples, choice.test_share, stream);
}

/// No test part was published, or cross-validation asks for other ones: some examples are held out at random.
void split_at_random(TrainingData& data, const std::vector<std::size_t>& examples, const DataChoice& choice) {
  Split split = choice.folds > 0 ? fold_of(examples, choice) : share_of(examples, choice);
  data.parts.train = std::move(split.train);
  data.parts.test = std::move(split.held_out);
  data.description["split"] =
      choice.folds > 0
          ? fmt::format("part {} of {} held out, seed {}", choice.fold + 1, choice.folds, choice.seed)
          : fmt::format("{} of the examples held out at random, seed {}", choice.test_share, choice.seed);
}

void keep_some(TrainingData& data, const DataChoice& choice) {
  std::vector<std::size_t>& train = data.parts.train;
  if (choice.limit == 0 || choice.limit >= train.size()) return;
  Stream stream = selection(choice, 1);
  std::vector<std::size_t> kept;
  for (const std::size_t i : stream.sample_without_replacement(choice.limit, train.size())) {
    kept.push_back(train[i]);
  }
  std::ranges::sort(kept);
  data.description["limit"] = fmt::format("{} of {} training examples, drawn at random, seed {}", kept.size(),
                                          train.size(), choice.seed);
  train = std::move(kept);
}

/// What a dataset calls its training and its test part, if it has both.
struct PublishedParts {
  std::string train;
  std::string test;
};
std::optional<PublishedParts> published_parts(const Schema& schema) {
  const auto part =
      std::ranges::find_if(schema.parameters, [](const Parameter& p) { return p.key == "part"; });
  if (part == schema.parameters.end()) return {};
  const auto offers = [&](const char* name) { return std::ranges::count(part->choices, name) > 0; };
  for (const char* train : {"train", "batch1"}) {
    if (offers(train) && offers("test")) return PublishedParts{train, "test"};
  }
  return {};
}

void append(ImageDataset& to, const ImageDataset& more) {
  to.pixels.insert(to.pixels.end(), more.pixels.begin(), more.pixels.end());
  to.labels.insert(to.labels.end(), more.labels.begin(), more.labels.end());
}

TrainingData load_images(const DatasetComponent& component, const DataChoice& choice, const Path& directory) {
  const auto parts = published_parts(component.schema);
  Json settings = choice.settings;
  if (parts && settings.contains("part")) {
    fail(Fault::kConfig,
         fmt::format("data.part: {} trains on its part \"{}\" and tests on \"{}\"; leave it out", choice.name,
                     parts->train, parts->test));
  }
  if (parts) settings["part"] = parts->train;
  TrainingData data;
  ImageDataset images = component.load(checked(component.schema, settings), directory);
  const std::size_t first = images.size();
  if (parts) {
    settings["part"] = parts->test;
    append(images, component.load(checked(component.schema, settings), directory));
  }
  if (parts && choice.folds == 0) {
    const auto all = all_of(images.size());
    data.parts.train.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(first));
    data.parts.test.assign(all.begin() + static_cast<std::ptrdiff_t>(first), all.end());
    data.description["split"] = fmt::format("published parts \"{}\" and \"{}\"", parts->train, parts->test);
  } else {
    split_at_random(data, all_of(images.size()), choice);
  }
  data.examples = image_examples(
      std::move(images), {.normalise = choice.normalise, .flip = choice.flip, .flip_seed = choice.seed});
  return data;
}

const Schema& table_schema() {
  static const Schema schema{
      "data",
      "table",
      "a table of numbers and categories",
      "",
      {choice_parameter("encoding", "one_hot", {"one_hot", "binary", "random_binary", "hashing"},
                        "how categories become numbers"),
       choice_parameter("numbers", "standard", {"standard", "min_max", "none"}, "how numbers are scaled"),
       choice_parameter("codes", "none", {"none", "standard"},
                        "how the places of category codes are scaled: standard as TabLeak's authors do"),
       integer_parameter("hash_width", 0, 0, 4096,
                         "places of a hashed code; 0: a quarter of the column's categories, at least 2"),
       boolean_parameter("hash_signs", false, "hashed codes have the sign of the hash"),
       integer_parameter("code_seed", 0, 0, 1'000'000, "of random binary codes")}};
  return schema;
}

EncoderOptions encoder_options(const Settings& settings) {
  EncoderOptions options;
  const std::string numbers = settings.text("numbers");
  options.numbers = numbers == "none"      ? NumberScaling::kNone
                    : numbers == "min_max" ? NumberScaling::kMinMax
                                           : NumberScaling::kStandard;
  options.categories.encoding = parse_category_encoding(settings.text("encoding"));
  if (settings.text("codes") == "standard") options.codes = CodeScaling::kStandard;
  options.categories.hash_width = settings.size("hash_width");
  options.categories.alternate_sign = settings.boolean("hash_signs");
  options.categories.seed = static_cast<std::uint64_t>(settings.integer("code_seed"));
  return options;
}

/// Numbers to predict are standardised too, or no learning rate would suit two datasets.
void standardise_target(TrainingData& data, std::vector<double>& target) {
  const auto count = static_cast<double>(data.parts.train.size());
  double mean = 0;
  for (const std::size_t i : data.parts.train) mean += target[i] / count;
  double variance = 0;
  for (const std::size_t i : data.parts.train) variance += (target[i] - mean) * (target[i] - mean) / count;
  const double deviation = variance > 0 ? std::sqrt(variance) : 1;
  for (double& value : target) value = (value - mean) / deviation;
  data.description["target"] = {{"standardised", true}, {"mean", mean}, {"deviation", deviation}};
}

/// The schema is not guessed here: a wrong guess of the target or of a category would train something else.
TabularDataset read_own_table(const DataChoice& choice) {
  if (choice.schema.empty()) {
    fail(Fault::kUsage,
         fmt::format("{} needs a schema that names its target: `earshot data describe {} --schema "
                     "my.toml` writes one to edit, --schema my.toml reads it",
                     choice.name, choice.name));
  }
  const TableSchema schema = parse_table_schema(read_text(choice.schema), choice.schema.string());
  if (schema.target.empty()) {
    fail(Fault::kData, fmt::format("{}: names no target to learn; add the line target = \"a column\"",
                                   choice.schema.string()));
  }
  return with_target(Path(choice.name).filename().string(),
                     read_csv(read_text(choice.name), choice.name, schema.format), schema.target);
}

TrainingData prepare_table(TabularDataset table, const DataChoice& choice) {
  const Settings settings = checked(table_schema(), choice.settings);
  if (table.target.empty()) {
    fail(Fault::kConfig, fmt::format("{} has no target column to learn", choice.name));
  }
  const std::vector<std::size_t> all = all_of(table.target.size());
  TrainingData data;
  if (table.test_begins && choice.folds == 0) {
    const auto border = all.begin() + static_cast<std::ptrdiff_t>(*table.test_begins);
    data.parts.train.assign(all.begin(), border);
    data.parts.test.assign(border, all.end());
    data.description["split"] = "published training and test rows";
  } else {
    split_at_random(data, all, choice);
  }
  keep_some(data, choice);
  TableEncoder encoder(table, data.parts.train, encoder_options(settings));
  data.description["features"] = table.features.columns.size();
  if (table.classes.empty()) standardise_target(data, table.target);
  data.examples = record_examples({encoder.width()}, encoder.encode(table.features, all).values,
                                  {table.classes.size(), std::move(table.target)});
  data.table = std::make_unique<EncodedTable>(EncodedTable{std::move(table.features), std::move(encoder)});
  return data;
}

TrainingData load_nodes(const NodeDatasetComponent& component, const DataChoice& choice,
                        const Path& directory) {
  const NodeDataset dataset = component.load(checked(component.schema, choice.settings), directory);
  TrainingData data;
  if (dataset.split && choice.folds == 0) {
    data.parts = {dataset.split->train, dataset.split->validation, dataset.split->test};
    data.description["split"] = "published nodes for training, validation and test";
  } else {
    std::vector<std::size_t> labelled;
    for (std::size_t i = 0; i < dataset.nodes; ++i) {
      if (dataset.labels[i] != kNoLabel) labelled.push_back(i);
    }
    split_at_random(data, labelled, choice);
  }
  data.description["edges"] = dataset.edges.size();
  if (!dataset.note.empty()) data.description["note"] = dataset.note;
  data.examples = node_examples(dataset, /*normalise_rows=*/true);
  return data;
}

TrainingData load_graphs(const GraphsDatasetComponent& component, const DataChoice& choice,
                         const Path& directory) {
  GraphsDataset dataset = component.load(checked(component.schema, choice.settings), directory);
  TrainingData data;
  std::vector<std::size_t> labelled;
  for (std::size_t i = 0; i < dataset.graphs.size(); ++i) {
    if (dataset.graphs[i].label != kNoLabel) labelled.push_back(i);
  }
  split_at_random(data, labelled, choice);
  if (!dataset.note.empty()) data.description["note"] = dataset.note;
  data.examples = graph_examples(std::move(dataset));
  return data;
}

/// Drawn with its own test part, so there is nothing to split.
TrainingData load_synthetic(const DataChoice& choice) {
  if (choice.folds > 0) {
    fail(Fault::kConfig, "data.folds: two_gaussians draws its own test records; leave it out");
  }
  return draw_two_gaussians(checked(two_gaussians_schema(), choice.settings), choice.seed);
}

TrainingData load(const DataChoice& choice, const Path& directory) {
  if (choice.name == two_gaussians_schema().name) return load_synthetic(choice);
  const auto images = dataset_components();
  if (const auto it = find(images, choice.name); it != images.end())
    return load_images(*it, choice, directory);
  const auto nodes = node_dataset_components();
  if (const auto it = find(nodes, choice.name); it != nodes.end()) return load_nodes(*it, choice, directory);
  const auto graphs = graphs_dataset_components();
  if (const auto it = find(graphs, choice.name); it != graphs.end())
    return load_graphs(*it, choice, directory);
  const auto tables = tabular_loaders();
  const bool table =
      std::ranges::any_of(tables, [&](const TabularLoader& loader) { return loader.name == choice.name; });
  if (table) return prepare_table(load_tabular(choice.name, directory), choice);
  if (std::filesystem::is_regular_file(choice.name)) return prepare_table(read_own_table(choice), choice);
  fail(Fault::kUsage, fmt::format("there is no dataset or CSV file \"{}\" to train on; {}", choice.name,
                                  suggest(choice.name, training_data_names())));
}

}  // namespace

TrainingData load_training_data(const DataChoice& choice, const Path& directory) {
  if (!choice.schema.empty() && !std::filesystem::is_regular_file(choice.name)) {
    fail(Fault::kUsage, fmt::format("a schema is for a CSV file, and there is no file \"{}\"", choice.name));
  }
  TrainingData data = load(choice, directory);
  keep_some(data, choice);
  const Shape input = data.examples->input();
  Json description{{"name", choice.name},
                   {"settings", choice.settings},
                   {"input", {input.channels, input.height, input.width}},
                   {"classes", data.examples->targets().classes},
                   {"train", data.parts.train.size()},
                   {"validation", data.parts.validation.size()},
                   {"test", data.parts.test.size()}};
  description.update(data.description);
  data.description = std::move(description);
  return data;
}

void hold_out_validation(TrainingParts& parts, double share, std::uint64_t seed) {
  if (share == 0) return;
  Stream stream({seed, Purpose::kDataSelection, 0, 2, 0});
  Split split = random_split(parts.train, share, stream);
  parts.train = std::move(split.train);
  parts.validation = std::move(split.held_out);
}

std::vector<Schema> training_data_schemas() {
  std::vector<Schema> schemas = {two_gaussians_schema()};
  for (const auto& component : dataset_components()) schemas.push_back(component.schema);
  for (const auto& component : node_dataset_components()) schemas.push_back(component.schema);
  for (const auto& component : graphs_dataset_components()) schemas.push_back(component.schema);
  for (const TabularLoader& loader : tabular_loaders()) {
    const auto same = [&](const Schema& schema) { return schema.name == loader.name; };
    if (std::ranges::any_of(schemas, same)) continue;
    Schema schema = table_schema();
    schema.name = loader.name;
    schema.summary = loader.summary;
    schemas.push_back(std::move(schema));
  }
  for (Schema& schema : schemas) schema.role = "data";
  return schemas;
}

std::vector<std::string> training_data_names() {
  std::vector<std::string> names;
  for (Schema& schema : training_data_schemas()) names.push_back(std::move(schema.name));
  return names;
}

}  // namespace earshot
