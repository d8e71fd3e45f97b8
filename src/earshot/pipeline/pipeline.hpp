// One trial of a plan, from graph to metrics: the only code that sees both the truth and the reconstruction.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "earshot/collect/records.hpp"
#include "earshot/experiment/plan.hpp"
#include "earshot/pipeline/images.hpp"
#include "earshot/pipeline/place_trial.hpp"
#include "earshot/pipeline/stage.hpp"
#include "earshot/training/training_data.hpp"

namespace earshot {

/// What protocols train on, by section.
using TrainingSets = std::map<std::string, TrainingData>;

/// What stands in the way of running the plan, all of it at once: missing sections and data, attackers that
/// are not in the graph, parameters that contradict each other, tables that will not exist, too little
/// memory. Nothing is trained. What was loaded for training is kept in `loaded`.
std::vector<Problem> preflight(const Plan& plan, const GraphSources& sources, TrainingSets* loaded = nullptr);

/// Which columns each table will have.
TableColumns table_columns(const Plan& plan);

class Pipeline {
 public:
  /// Loads the datasets of the plan, as far as `loaded` does not have them; call preflight first.
  Pipeline(const Plan& plan, GraphSources sources, TrainingSets loaded = {});

  /// The unit result described in experiment/runner.hpp. Safe to call from several threads.
  Json run(const Cell& cell, std::size_t trial) const;
  /// Of a cell that trains.
  const TrainingData& training_data(const Cell& cell) const;

 private:
  const LoadedImages* images_of(const Cell& cell) const;

  std::uint64_t seed_;
  GraphSources sources_;
  std::map<std::string, LoadedImages> images_;  // by kind and settings
  std::map<std::string, CollectionData> tables_;
  std::map<std::string, PlaceData> places_;
  TrainingSets training_;
};

}  // namespace earshot
