#include "earshot/experiment/runner.hpp"

#include <atomic>
#include <chrono>
#include <mutex>
#include <string>

#include <fmt/format.h>

#include "earshot/core/interrupt.hpp"
#include "earshot/core/parallel.hpp"
#include "earshot/core/progress.hpp"

namespace earshot {
namespace {

std::string unit_name(const Cell& cell, std::size_t trial) {
  if (cell.settings.empty()) return fmt::format("trial {}", trial);
  return fmt::format("cell {} {}, trial {}", cell.index, cell.settings.dump(), trial);
}

class Run {
 public:
  Run(const Plan& plan, RunStore* store, const UnitFunction& unit) : plan_(plan), store_(store), unit_(unit) {
    outcome_.units.assign(plan.cells.size(), std::vector<Json>(plan.trials));
  }

  RunOutcome execute() {
    if (store_ != nullptr) reuse_stored();
    std::vector<std::size_t> open;
    const std::size_t total = plan_.cells.size() * plan_.trials;
    for (std::size_t i = 0; i < total; ++i) {
      if (slot(i).is_null()) open.push_back(i);
    }
    Progress progress(plan_.name, total, total - open.size());
    parallel_for(open.size(), [&](std::size_t i) {
      if (stopped_) return;
      try {
        stop_if_interrupted();
        compute(open[i]);
      } catch (...) {
        stopped_ = true;
        throw;
      }
      progress.advance();
    });
    return std::move(outcome_);
  }

 private:
  Json& slot(std::size_t index) { return outcome_.units[index / plan_.trials][index % plan_.trials]; }

  /// Units beyond the plan's trials stay in the store for the day the plan asks for them again.
  void reuse_stored() {
    for (const StoredUnit& unit : store_->units()) {
      if (unit.cell >= plan_.cells.size() || unit.trial >= plan_.trials) continue;
      Json result = Json::parse(unit.result, nullptr, false);
      if (!result.is_object())
        fail(Fault::kData, fmt::format("{}: the run store holds an unreadable result; choose another --out",
                                       unit_name(plan_.cells[unit.cell], unit.trial)));
      outcome_.units[unit.cell][unit.trial] = std::move(result);
      outcome_.unit_seconds += unit.seconds;
      ++outcome_.reused;
    }
  }

  void compute(std::size_t index) {
    const Cell& cell = plan_.cells[index / plan_.trials];
    const std::size_t trial = index % plan_.trials;
    const auto start = std::chrono::steady_clock::now();
    const std::string text = with_context(unit_name(cell, trial), [&] { return run_unit(cell, trial); });
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (store_ != nullptr) store_->put({cell.index, trial, text, seconds});
    // A fresh result takes the same way through text as a stored one, so a resumed run cannot differ.
    slot(index) = Json::parse(text);
    const std::lock_guard lock(mutex_);
    outcome_.unit_seconds += seconds;
    ++outcome_.computed;
  }

  std::string run_unit(const Cell& cell, std::size_t trial) const {
    try {
      const Json result = unit_(cell, trial);
      if (!result.is_object()) fail(Fault::kInternal, "a unit's result is not a JSON object");
      return result.dump(-1, ' ', false, Json::error_handler_t::replace);
    } catch (const Error&) {
      throw;
    } catch (const std::exception& error) {
      fail(Fault::kInternal, error.what());
    }
  }

  const Plan& plan_;
  RunStore* store_;
  const UnitFunction& unit_;
  RunOutcome outcome_;
  std::atomic<bool> stopped_ = false;
  std::mutex mutex_;
};

}  // namespace

RunOutcome execute(const Plan& plan, RunStore* store, const UnitFunction& unit) {
  return Run(plan, store, unit).execute();
}

}  // namespace earshot
