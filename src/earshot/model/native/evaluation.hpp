// Evaluates a native network on many problems: gradients, pullbacks, matching, clipped sums, outputs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "earshot/model/cosine_matcher.hpp"
#include "earshot/model/model.hpp"
#include "earshot/model/native/loss.hpp"
#include "earshot/model/native/sequence.hpp"
#include "earshot/model/squared_matcher.hpp"

namespace earshot {

/// What a model and its evaluations share. Neither copied nor moved: the places point into the architecture.
struct NativeNetwork {
  explicit NativeNetwork(Architecture from);
  NativeNetwork(const NativeNetwork&) = delete;
  NativeNetwork& operator=(const NativeNetwork&) = delete;

  const Architecture architecture;
  const std::vector<PlacedLayer> places;
  std::size_t parameters = 0;
  std::size_t inputs = 0;
  std::size_t outputs = 0;
  bool graph = false;
  std::vector<double> buffers;  // change while the model trains
};

/// Problems are evaluated in groups, each with its own layers and memory, small enough that a group's
/// parameters, gradients and activations stay in the second-level cache from the first sweep to the last.
template <class Real>
class NativeEvaluation final : public Evaluation<Real>,
                               public SquaredMatcher<Real>,
                               public CosineMatcher<Real> {
 public:
  explicit NativeEvaluation(std::shared_ptr<const NativeNetwork> network);

  void gradients(const Problems<Real>& problems, std::span<Real> losses, std::span<Real> out) override;
  void pullbacks(std::span<const Real> directions, ProblemGradient<Real> out) override;
  void match(const Problems<Real>& problems, std::span<const Real> observed, std::span<double> distances,
             ProblemGradient<Real> out) override;
  void match_cosine(const Problems<Real>& problems, std::span<const Real> observed,
                    std::span<double> distances, ProblemGradient<Real> out) override;
  ClippingReport clipped_sums(const Problems<Real>& problems, double bound, std::span<Real> norms,
                              std::span<Real> out) override;
  void outputs(const Problems<Real>& problems, std::span<Real> out) override;
  /// Moves running statistics by those of all rows of all problems.
  void observe(const Problems<Real>& problems, double momentum, std::span<double> buffers);

 private:
  struct Group {
    explicit Group(const NativeNetwork& network);

    std::size_t first = 0;  // problem
    std::size_t count = 0;
    std::unique_ptr<Composite<Real>> layers;
    Loss<Real> loss;
    Call<Real> call;  // of the last forward sweep
    std::vector<Real> out, adjoint, tangent, adjoint_tangent, inputs, direction;
    std::vector<double> squared_norms, factors;  // of the rows
    std::vector<Products> products;              // of the problems
    std::vector<Combination> combinations;
  };
  struct Clipping {
    double bound;
    std::span<Real> norms;
    std::span<Real> out;
    ClippingReport report;
  };

  /// Checks the problems and divides them into groups; only the first `most` are made.
  void start(const Problems<Real>& problems, std::size_t group_size, std::size_t most = SIZE_MAX);
  /// Gives the group these problems.
  void place(const Problems<Real>& problems, std::size_t first, std::size_t count, Group& group) const;
  void check(const Problems<Real>& problems) const;
  std::size_t group_size(const Problems<Real>& problems) const;
  /// The same where no gradients are written but those of `in_memory` parameters.
  std::size_t match_group_size(const Problems<Real>& problems, std::size_t in_memory) const;
  std::span<const std::unique_ptr<Group>> groups() const { return {groups_.data(), groups_used_}; }
  void set_scales(const Problems<Real>& problems);

  LayerState<Real> state_of(const Problems<Real>& problems, const Group& group) const;
  ParameterBlock<Real> block_of(const Group& group, std::span<Real> vectors) const;
  void forward(const Problems<Real>& problems, Group& group, const Real* inputs, bool predicting, Real* out);
  void backward(const Problems<Real>& problems, Group& group, Real* losses);
  void check_pullback(const Problems<Real>& problems, const ProblemGradient<Real>& out) const;
  /// The tangent sweeps in the direction of the state.
  void pull(const Problems<Real>& problems, Group& group, LayerState<Real> state,
            const ProblemGradient<Real>& out);
  /// body(group) for all problems in groups of `size`, shared out among threads.
  template <class Body>
  void for_matched_groups(const Problems<Real>& problems, std::size_t size, std::span<const Real> observed,
                          std::span<double> distances, const ProblemGradient<Real>& out, Body body);
  /// Memory for the directions of a group, if some layer needs them.
  ParameterBlock<Real> directions(Group& group, std::size_t in_memory) const;
  void match_group(const Problems<Real>& problems, std::span<const Real> observed, Group& group,
                   double* distances, const ProblemGradient<Real>& out);
  void match_cosine_group(const Problems<Real>& problems, std::span<const Real> observed,
                          double observed_length, Group& group, double* distances,
                          const ProblemGradient<Real>& out);
  /// Parameters of layers that need a direction when angles are matched.
  std::size_t cosine_in_memory(const Problems<Real>& problems) const;

  void clip_rows(const Problems<Real>& problems, Group& group, Clipping& clipping);
  bool set_factors(Group& group, Clipping& clipping) const;
  /// The first row of a problem with a finite gradient.
  std::optional<std::size_t> sound_row(const Group& group, std::size_t problem) const;
  const Real* replace_rows(const Problems<Real>& problems, Group& group) const;
  void clip_one_by_one(const Problems<Real>& problems, Group& group, Clipping& clipping);
  double factor(double norm, Clipping& clipping) const;

  std::shared_ptr<const NativeNetwork> network_;
  std::size_t activations_ = 0;  // numbers per row in all layers' outputs
  std::size_t in_memory_ = 0;    // parameters of layers that need a direction when they are matched
  std::vector<std::unique_ptr<Group>> groups_;
  std::size_t groups_used_ = 0;
  std::size_t target_rows_ = 0;  // of each problem
  std::vector<Real> scales_;     // of the target rows
  std::vector<Real> one_row_, one_gradient_;
  Problems<Real> last_;  // of the last `gradients` call
  bool ready_ = false;   // for pullbacks of it
};

}  // namespace earshot
