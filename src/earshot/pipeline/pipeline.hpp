// One trial of a plan, from graph to metrics: the only code that sees both the truth and the reconstruction.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "earshot/collect/records.hpp"
#include "earshot/experiment/plan.hpp"
#include "earshot/pipeline/images.hpp"
#include "earshot/pipeline/stage.hpp"

namespace earshot {

/// What stands in the way of running the plan, all of it at once: missing sections and data, attackers that
/// are not in the graph, parameters that contradict each other, tables that will not exist, too little
/// memory. Nothing is trained.
std::vector<Problem> preflight(const Plan& plan, const GraphSources& sources);

/// Which columns each table will have.
TableColumns table_columns(const Plan& plan);

class Pipeline {
 public:
  /// Loads the datasets of the plan; call preflight first.
  Pipeline(const Plan& plan, GraphSources sources);

  /// The unit result described in experiment/runner.hpp. Safe to call from several threads.
  Json run(const Cell& cell, std::size_t trial) const;

 private:
  const LoadedImages* images_of(const Cell& cell) const;

  std::uint64_t seed_;
  GraphSources sources_;
  std::map<std::string, LoadedImages> images_;  // by kind and settings
  std::map<std::string, CollectionData> tables_;
};

}  // namespace earshot
