// The one step that Blahut-Arimoto and the iterative Bayesian update are made of: they are the same iteration
// on different matrices (Biswas 2024, section 3.5).
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace earshot {

/// Memory of passes, so that iterations allocate nothing. Good for one kernel and one thread of control at a
/// time.
struct PassScratch {
  std::vector<double> normaliser{};      // one per row
  std::vector<double> partial_gain{};    // chunks x columns
  std::vector<double> log_likelihood{};  // one per chunk
};

/// A matrix K >= 0 with one row per datum and one column per component of a mixture v. With Z_i = sum_j K_ij
/// v_j, EM for the v that maximises sum_i w_i ln Z_i multiplies v_j by the gain g_j = sum_i w_i K_ij / Z_i.
/// - Iterative Bayesian update: v the places, w the reports, K the transposed channel.
/// - Blahut-Arimoto: v the reported marginal, w the prior, K = exp(-beta d); its Lagrangian is -sum_i w_i ln
/// Z_i. For weights of sum 1, v is optimal if and only if g <= 1, and ln max g bounds what is missing to the
/// optimum (Blahut 1972, by Jensen).
class MixtureKernel {
 public:
  virtual ~MixtureKernel() = default;
  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }

  PassScratch scratch() const;
  /// Writes the gain and returns sum_i w_i ln Z_i; minus infinity if a row of positive weight has Z_i = 0,
  /// which then adds nothing to the gain. Reads the matrix once. Same bits for any number of threads.
  double pass(std::span<const double> weights, std::span<const double> mixture, std::span<double> gain,
              PassScratch& scratch) const;

 protected:
  MixtureKernel(std::size_t rows, std::size_t columns, std::size_t entries);
  MixtureKernel(const MixtureKernel&) = default;
  MixtureKernel(MixtureKernel&&) = default;
  MixtureKernel& operator=(const MixtureKernel&) = default;
  MixtureKernel& operator=(MixtureKernel&&) = default;

  struct Chunk {
    std::size_t first = 0;  // rows [first, last)
    std::size_t last = 0;
    std::span<const double> weights{};
    std::span<const double> mixture{};
    std::span<double> normaliser{};  // of all rows; a chunk writes its own, first Z_i and then w_i / Z_i
    std::span<double> gain{};        // added to
  };
  /// Adds the rows of a chunk to its gain; returns their part of the sum of logarithms.
  virtual double pass_chunk(const Chunk& chunk) const = 0;

  /// Replaces Z_i of rows [first, last) by w_i / Z_i and returns their part of the sum of logarithms.
  static double weigh(const Chunk& chunk, std::size_t first, std::size_t last);

 private:
  std::size_t rows_;
  std::size_t columns_;
  std::size_t chunks_;
};

/// Every entry kept, row-major.
class DenseKernel final : public MixtureKernel {
 public:
  DenseKernel(std::size_t rows, std::size_t columns, std::vector<double> values);

  std::span<const double> row(std::size_t i) const { return {values_.data() + i * columns(), columns()}; }

 private:
  double pass_chunk(const Chunk& chunk) const override;

  std::vector<double> values_;
  std::size_t block_rows_;  // rows that stay in the cache between the two products
};

/// Only the entries that matter, as runs of neighbouring columns: a disc on a grid is one run per grid row,
/// so entries need no index each and runs are read like dense memory.
class RunKernel final : public MixtureKernel {
 public:
  struct Run {
    std::size_t column = 0;
    std::size_t length = 0;
    std::size_t offset = 0;  // of its first value
  };
  struct Entry {
    std::size_t column = 0;
    double value = 0;
  };
  /// `row(i, entries)` fills in the entries of row i in ascending order of columns.
  using FillRow = std::function<void(std::size_t, std::vector<Entry>&)>;
  RunKernel(std::size_t rows, std::size_t columns, const FillRow& row);

  std::span<const Run> runs(std::size_t i) const {
    return std::span(runs_).subspan(first_run_[i], first_run_[i + 1] - first_run_[i]);
  }
  std::span<const double> values(const Run& run) const {
    return std::span(values_).subspan(run.offset, run.length);
  }
  std::size_t entries() const { return values_.size(); }

  /// The same entries multiplied by row_factor(i) column_factor(j).
  RunKernel scaled(std::span<const double> row_factor, std::span<const double> column_factor) const;
  RunKernel transposed() const;

 private:
  struct Parts {
    std::vector<std::size_t> first_run{0};
    std::vector<Run> runs{};
    std::vector<double> values{};
  };
  RunKernel(std::size_t rows, std::size_t columns, Parts parts);
  static Parts collect(std::size_t rows, std::size_t columns, const FillRow& row);
  double pass_chunk(const Chunk& chunk) const override;

  std::vector<std::size_t> first_run_;  // rows + 1
  std::vector<Run> runs_;
  std::vector<double> values_;
};

/// v_j *= g_j.
void apply_gain(std::span<double> mixture, std::span<const double> gain);
/// ln max g, at least 0: how many nats the objective can still gain.
double optimality_gap(std::span<const double> gain);

}  // namespace earshot
