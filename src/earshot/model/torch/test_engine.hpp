// For tests: the engine as built, and both engines' answers side by side.
#pragma once

#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "earshot/model/native/network_check.hpp"
#include "earshot/model/torch_engine.hpp"

namespace earshot {

/// From the folder it was built into, unless the environment names another.
inline const TorchEngine& built_engine() {
  setenv("EARSHOT_PLUGINS", EARSHOT_PLUGIN_FOLDER, /*overwrite=*/0);
  return torch_engine();
}

/// For a given precision: agreement of the engines, which differ in the order of sums only.
template <class Real>
inline constexpr double kAgreement = sizeof(Real) == sizeof(double) ? 1e-10 : 1e-5;

template <class Real>
std::unique_ptr<Evaluation<Real>> evaluation_of(const Model& model) {
  if constexpr (std::is_same_v<Real, double>) {
    return model.evaluation();
  } else {
    return model.fast_evaluation();
  }
}

template <class Real>
std::vector<double> outputs_of(const Model& model, const ProblemSet& set) {
  const HeldSet<Real> held(set);
  std::vector<Real> out(set.targets.size(), std::numeric_limits<Real>::quiet_NaN());
  evaluation_of<Real>(model)->outputs(held.problems, out);
  return {out.begin(), out.end()};
}

struct ClippedSet {
  std::vector<double> norms, sums;
  ClippingReport report;
};
template <class Real>
ClippedSet clipped(const Model& model, const ProblemSet& set, double bound) {
  const HeldSet<Real> held(set);
  const Real unwritten = std::numeric_limits<Real>::quiet_NaN();
  std::vector<Real> norms(set.count * set.target_rows, unwritten), sums(set.directions.size(), unwritten);
  const ClippingReport report = evaluation_of<Real>(model)->clipped_sums(held.problems, bound, norms, sums);
  return {{norms.begin(), norms.end()}, {sums.begin(), sums.end()}, report};
}

template <class Real>
void expect_same_clipping(const Model& actual, const Model& expected, const ProblemSet& set, double bound,
                          const std::string& what) {
  const ClippedSet a = clipped<Real>(actual, set, bound);
  const ClippedSet e = clipped<Real>(expected, set, bound);
  expect_close(a.norms, e.norms, kAgreement<Real>, what + ": norms");
  expect_close(a.sums, e.sums, kAgreement<Real>, what + ": clipped sums");
  EXPECT_EQ(a.report.clipped, e.report.clipped) << what;
  EXPECT_EQ(a.report.non_finite, e.report.non_finite) << what;
}

template <class Real>
void expect_same_derivatives(const Model& actual, const Model& expected, const ProblemSet& set,
                             const std::string& what) {
  const SetResult a = evaluate(*evaluation_of<Real>(actual), set);
  const SetResult e = evaluate(*evaluation_of<Real>(expected), set);
  expect_close(a.losses, e.losses, kAgreement<Real>, what + ": losses");
  expect_close(a.gradients, e.gradients, kAgreement<Real>, what + ": gradients");
  expect_close(a.inputs, e.inputs, kAgreement<Real>, what + ": pullback to the inputs");
  expect_close(a.targets, e.targets, kAgreement<Real>, what + ": pullback to the targets");
  expect_close(a.adjacency, e.adjacency, kAgreement<Real>, what + ": pullback to the adjacency");
  expect_close(outputs_of<Real>(actual, set), outputs_of<Real>(expected, set), kAgreement<Real>,
               what + ": outputs");
}

}  // namespace earshot
