#include "earshot/training/learning_task.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/core/finite.hpp"

namespace earshot {
namespace {

/// Sum of the rows of `examples`, each clipped; rows that are not finite contribute nothing.
ClippingReport sum_clipped(std::span<double> examples, Norm norm, double bound, std::span<double> out) {
  ClippingReport report;
  std::ranges::fill(out, 0.0);
  for (; !examples.empty(); examples = examples.subspan(out.size())) {
    const std::span<double> example = examples.first(out.size());
    if (!all_finite(example)) {
      ++report.non_finite;
      continue;
    }
    if (clip(norm, bound, example) < 1) ++report.clipped;
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += example[i];
  }
  return report;
}

}  // namespace

/// A bench for the duration of one computation, and the model's running statistics set to those of the state.
class LearningTask::Lease {
 public:
  Lease(LearningTask& task, std::span<const double> state) : task_(task) {
    if (state.size() != task.state_size()) {
      fail(Fault::kInternal, fmt::format("a state of {} numbers, not {}", state.size(), task.state_size()));
    }
    if (task.state_size() > task.parameter_count()) {
      statistics_ = std::unique_lock(task.statistics_lock_);
      task.model_.set_buffers(state.subspan(task.parameter_count()));
    }
    const std::lock_guard lock(task.bench_lock_);
    if (!task.idle_.empty()) {
      bench_ = std::move(task.idle_.back());
      task.idle_.pop_back();
      return;
    }
    bench_ = std::make_unique<Bench>();
    bench_->worker = make_worker(task.model_, task.precision_);
  }
  ~Lease() {
    const std::lock_guard lock(task_.bench_lock_);
    task_.idle_.push_back(std::move(bench_));
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  Bench& operator*() { return *bench_; }
  Bench* operator->() { return bench_.get(); }

 private:
  LearningTask& task_;
  std::unique_lock<std::mutex> statistics_;
  std::unique_ptr<Bench> bench_;
};

LearningTask::LearningTask(Model& model, const Examples& examples, Precision precision)
    : model_(model), examples_(examples), precision_(precision) {}

std::vector<double> LearningTask::initial_state(Stream& stream) const {
  std::vector<double> state(parameter_count());
  model_.initialise(stream, state);
  state.insert(state.end(), model_.buffers().begin(), model_.buffers().end());
  return state;
}

Problems<double> LearningTask::problem(Bench& bench, std::span<const double> state, const Look& look) const {
  Problems<double> problem = examples_.gather(look.records, model_.output_size(), look.pass, bench.memory);
  problem.parameters = state.first(parameter_count());
  problem.dropout = look.dropout;
  return problem;
}

double LearningTask::gradient(std::span<double> state, const Look& look, std::span<double> out,
                              std::optional<double> statistics_momentum) {
  if (look.records.empty()) fail(Fault::kInternal, "a mean over no records");
  Lease bench(*this, state);
  const Problems<double> batch = problem(*bench, state, look);
  const double loss = bench->worker->gradient(batch, out);
  if (statistics_momentum && state.size() > parameter_count()) {
    model_.observe(batch, *statistics_momentum);
    std::ranges::copy(model_.buffers(), state.begin() + static_cast<std::ptrdiff_t>(parameter_count()));
  }
  return loss;
}

ClippingReport LearningTask::clipped_part(Bench& bench, const Problems<double>& problem, Norm norm,
                                          double bound) const {
  if (norm == Norm::kL2) return bench.worker->clipped_sum(problem, bound, bench.part);
  if (problem.graph != nullptr) {
    fail(Fault::kConfig, "examples of graphs can be clipped in L2 only: use dp_sgd, or clip_norm \"l2\"");
  }
  if (state_size() > parameter_count()) {
    fail(Fault::kConfig, "batch norm mixes the examples of a batch, which then cannot be clipped one by one");
  }
  Problems<double> each = problem;  // every record a problem of its own
  each.count = problem.rows;
  each.rows = 1;
  bench.examples.resize(each.count * parameter_count());
  bench.worker->gradients(each, bench.examples);
  return sum_clipped(bench.examples, norm, bound, bench.part);
}

ClippingReport LearningTask::clipped_sum(std::span<const double> state, const Look& look, Norm norm,
                                         double bound, std::size_t together, std::span<double> out) {
  Lease bench(*this, state);
  ClippingReport total;
  std::ranges::fill(out, 0.0);
  bench->part.resize(out.size());
  for (std::size_t start = 0; start < look.records.size(); start += together) {
    Look some = look;
    some.records = look.records.subspan(start, std::min(together, look.records.size() - start));
    const ClippingReport report = clipped_part(*bench, problem(*bench, state, some), norm, bound);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += bench->part[i];
    total.clipped += report.clipped;
    total.non_finite += report.non_finite;
  }
  return total;
}

Scores LearningTask::scores(std::span<const double> state, std::span<const std::size_t> records) {
  Lease bench(*this, state);
  return evaluate(model_, *bench->worker, state.first(parameter_count()), examples_, records);
}

}  // namespace earshot
