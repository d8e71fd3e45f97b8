#include "earshot/training/worker.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "earshot/core/parallel.hpp"

namespace earshot {
namespace {

class DoubleWorker : public Worker {
 public:
  explicit DoubleWorker(const Model& model) : evaluation_(model.evaluation()) {}

  double gradient(const Problems<double>& problem, std::span<double> out) override {
    double loss = 0;
    evaluation_->gradients(problem, {&loss, 1}, out);
    return loss;
  }
  ClippingReport clipped_sum(const Problems<double>& problem, double bound, std::span<double> out) override {
    return evaluation_->clipped_sums(problem, bound, {}, out);
  }
  void gradients(const Problems<double>& problems, std::span<double> out) override {
    losses_.resize(problems.count);
    evaluation_->gradients(problems, losses_, out);
  }
  void outputs(const Problems<double>& problem, std::span<double> out) override {
    evaluation_->outputs(problem, out);
  }

 private:
  std::unique_ptr<Evaluation<double>> evaluation_;
  std::vector<double> losses_;
};

/// Rounds everything to 32 bits on the way in.
class SingleWorker : public Worker {
 public:
  explicit SingleWorker(const Model& model) : evaluation_(model.fast_evaluation()) {}

  double gradient(const Problems<double>& problem, std::span<double> out) override {
    float loss = 0;
    out_.resize(out.size());
    evaluation_->gradients(rounded(problem), {&loss, 1}, out_);
    std::ranges::copy(out_, out.begin());
    return loss;
  }
  ClippingReport clipped_sum(const Problems<double>& problem, double bound, std::span<double> out) override {
    out_.resize(out.size());
    const ClippingReport report = evaluation_->clipped_sums(rounded(problem), bound, {}, out_);
    std::ranges::copy(out_, out.begin());
    return report;
  }
  void gradients(const Problems<double>& problems, std::span<double> out) override {
    out_.resize(out.size());
    losses_.resize(problems.count);
    evaluation_->gradients(rounded(problems), losses_, out_);
    std::ranges::copy(out_, out.begin());
  }
  void outputs(const Problems<double>& problem, std::span<double> out) override {
    out_.resize(out.size());
    evaluation_->outputs(rounded(problem), out_);
    std::ranges::copy(out_, out.begin());
  }

 private:
  std::span<const float> rounded(std::span<const double> from, std::size_t slot) {
    std::vector<float>& to = rounded_[slot];
    to.resize(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) to[i] = static_cast<float>(from[i]);
    return to;
  }
  Problems<float> rounded(const Problems<double>& problem) {
    Problems<float> out;
    out.count = problem.count;
    out.rows = problem.rows;
    out.parameters = rounded(problem.parameters, 0);
    out.inputs = rounded(problem.inputs, 1);
    out.targets = rounded(problem.targets, 2);
    out.row_weights = rounded(problem.row_weights, 3);
    out.adjacency = rounded(problem.adjacency, 4);
    out.graph = problem.graph;
    out.dropout = problem.dropout;
    return out;
  }

  std::unique_ptr<Evaluation<float>> evaluation_;
  std::array<std::vector<float>, 5> rounded_;
  std::vector<float> out_;
  std::vector<float> losses_;
};

}  // namespace

std::unique_ptr<Worker> make_worker(const Model& model, Precision precision) {
  thread_count();  // pins BLAS to one thread, on which results must not depend
  if (precision == Precision::kSingle) return std::make_unique<SingleWorker>(model);
  return std::make_unique<DoubleWorker>(model);
}

}  // namespace earshot
