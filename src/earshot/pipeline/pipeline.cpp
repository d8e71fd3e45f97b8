#include "earshot/pipeline/pipeline.hpp"

#include "earshot/pipeline/collect_trial.hpp"
#include "earshot/pipeline/dgd_trial.hpp"
#include "earshot/pipeline/gossip_trial.hpp"
#include "earshot/pipeline/section_key.hpp"
#include "earshot/pipeline/theory_trial.hpp"
#include "earshot/pipeline/train_trial.hpp"

namespace earshot {

Pipeline::Pipeline(const Plan& plan, GraphSources sources, TrainingSets loaded)
    : seed_(plan.seed), sources_(std::move(sources)), training_(std::move(loaded)) {
  for (const Cell& cell : plan.cells) {
    const Choice* data = cell.find("data");
    if (data == nullptr) continue;
    const std::string key = section_key(*data);
    if (trains(cell)) {
      if (!training_.contains(key)) training_.emplace(key, load_training_section(*data, seed_, sources_));
    } else if (collects(cell)) {
      if (!tables_.contains(key)) tables_.emplace(key, load_collection(*data, sources_.data_directory));
    } else if (collects_places(cell)) {
      if (!places_.contains(key)) places_.emplace(key, load_places(*data, sources_.data_directory));
    } else if (!images_.contains(key)) {
      images_.emplace(key, load_images(*data, sources_.data_directory));
    }
  }
}

const LoadedImages* Pipeline::images_of(const Cell& cell) const {
  const Choice* data = cell.find("data");
  return data == nullptr ? nullptr : &images_.at(section_key(*data));
}

const TrainingData& Pipeline::training_data(const Cell& cell) const {
  return training_.at(section_key(cell.at("data")));
}

Json Pipeline::run(const Cell& cell, std::size_t trial) const {
  const TrialAddress address{seed_, trial};
  if (trains(cell)) return run_train_trial(cell, address, training_data(cell), sources_);
  if (collects(cell)) return run_collect_trial(cell, address, tables_.at(section_key(cell.at("data"))));
  if (collects_places(cell)) return run_place_trial(cell, address, places_.at(section_key(cell.at("data"))));
  if (checks_theory(cell)) return run_theory_trial(cell, address);
  const Stage stage = build_stage(cell, address, sources_);
  const LoadedImages* images = images_of(cell);
  if (cell.at("protocol").kind == "dgd") return run_dgd_trial(cell, address, stage, *images);
  return run_gossip_trial(cell, address, stage, images);
}

}  // namespace earshot
