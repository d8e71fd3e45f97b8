// Every dataset by name and any CSV file, ready to train on: encoded, split, with what was done to it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "earshot/core/json.hpp"
#include "earshot/core/schema.hpp"
#include "earshot/data/tables/table_encoder.hpp"
#include "earshot/training/examples.hpp"
#include "earshot/training/trainer.hpp"

namespace earshot {

struct DataChoice {
  std::string name;                // a dataset, or a CSV file of the user's
  std::filesystem::path schema{};  // of a CSV file
  Json settings = Json::object();  // of the dataset's schema
  double test_share = 0.2;         // held out where the publishers give no test part
  std::size_t folds = 0;           // cross-validation instead of any other split; 0: none
  std::size_t fold = 0;            // which of them is held out
  std::size_t limit = 0;           // train on so many examples only, drawn at random; 0: all
  bool normalise = true;           // pictures by the dataset's mean and deviation; else from 0 to 1
  bool flip = false;               // mirror pictures at random while training
  std::uint64_t seed = 1;          // of split, limit and mirroring
};

/// A table before it became numbers, and how it became them.
struct EncodedTable {
  NumericTable features;  // a category as its index; rows are the examples
  TableEncoder encoder;
};

struct TrainingData {
  std::unique_ptr<Examples> examples;
  TrainingParts parts;
  std::unique_ptr<const EncodedTable> table;  // null for what is no table
  Json description;                           // name, sizes, and where the parts come from
};

/// Standardisation and encodings are fitted on the training part only.
TrainingData load_training_data(const DataChoice& choice, const std::filesystem::path& directory);

/// Moves a share of the training part, drawn at random, to the validation part.
void hold_out_validation(TrainingParts& parts, double share, std::uint64_t seed);

/// What `load_training_data` understands: every dataset with its settings.
std::vector<Schema> training_data_schemas();
std::vector<std::string> training_data_names();

}  // namespace earshot
