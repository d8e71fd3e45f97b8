// Where a long training is kept while it runs: one checkpoint in a directory, replaced as it goes on.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>

#include "earshot/pipeline/train_trial.hpp"

namespace earshot {

class TrainingStore {
 public:
  /// Creates the directory and locks it for this process as long as the object lives. `digest` names the
  /// whole configuration; a checkpoint is written every `seconds`, and never so often that training slows
  /// down noticeably.
  TrainingStore(std::filesystem::path directory, std::string digest, double seconds);
  ~TrainingStore();
  TrainingStore(const TrainingStore&) = delete;
  TrainingStore& operator=(const TrainingStore&) = delete;

  /// Goes on from the checkpoint; false if there is none. Refuses, and leaves alone, a damaged one and one of
  /// another configuration.
  bool load(TrainTrial& trial) const;
  void save(const TrainTrial& trial);
  /// Whether it is time to save again.
  bool due() const;

  const std::filesystem::path& directory() const { return directory_; }
  static constexpr const char* kFileName = "checkpoint";

 private:
  using Clock = std::chrono::steady_clock;

  std::filesystem::path directory_;
  std::string digest_;
  Clock::duration interval_;
  Clock::time_point saved_ = Clock::now();
  Clock::duration saving_{};  // how long the last time took
  int lock_ = -1;
};

}  // namespace earshot
