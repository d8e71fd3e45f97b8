// The run store: finished units in an SQLite file, each one transaction, so a killed run loses only what was
// running.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "earshot/experiment/plan.hpp"

namespace earshot {

struct StoredUnit {
  std::size_t cell = 0;
  std::size_t trial = 0;
  std::string result;  // JSON text
  double seconds = 0;
};

/// `run.sqlite` in an output directory, locked for this process as long as the object lives.
class RunStore {
 public:
  /// Creates directory and file, or reopens them. Refuses, without touching the file: another plan's store, a
  /// file that is not ours, a damaged one, and one that another process has open.
  RunStore(const std::filesystem::path& directory, const Plan& plan);
  ~RunStore();
  RunStore(const RunStore&) = delete;
  RunStore& operator=(const RunStore&) = delete;

  /// All units finished so far, by cell and trial.
  std::vector<StoredUnit> units() const;
  /// Survives the end of this process, however it comes, once it returns. Safe to call from parallel bodies.
  void put(const StoredUnit& unit);

  static constexpr const char* kFileName = "run.sqlite";

 private:
  struct Database;
  std::unique_ptr<Database> database_;
  mutable std::mutex mutex_;
};

}  // namespace earshot
