#include "earshot/attack/gossip/gossip_attack.hpp"

#include <limits>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

void require_same_rounds(const View& view, const Exposure& exposure) {
  // A saturated analysis may stop before the view does; otherwise both must cover the same rounds.
  if (!exposure.saturated && exposure.rounds != view.rounds()) {
    fail(Fault::kInternal, "the exposure analysis does not cover the rounds of the view");
  }
}

LinearReconstruction estimate(const TargetSystem& system, const LinearSystem& linear,
                              const RowMajorMatrix& observed, const Exposure& exposure, EstimatorKind kind,
                              double cut) {
  const Estimator estimator = make_estimator(linear, kind, cut);
  LinearReconstruction out;
  out.targets = system.targets;
  out.values = estimator.weights * observed;
  out.standard_error.assign(estimator.standard_error.begin(), estimator.standard_error.end());
  for (const NodeId node : system.targets) out.identified.push_back(exposure.first_round[node].has_value());
  return out;
}

Eigen::Index target_rank(const Exposure& exposure) {
  return static_cast<Eigen::Index>(exposure.rank - exposure.adversary.colluding.size());
}

}  // namespace

LinearReconstruction reconstruct_values(const View& view, const Exposure& exposure, EstimatorKind kind,
                                        double cut) {
  require_same_rounds(view, exposure);
  const TargetSystem system = make_target_system(*view.told().gossip_matrix, view.adversary());
  LinearSystem linear;
  linear.knowledge = gossip_knowledge_matrix(system, view.rounds(), view.told().mixing);
  linear.covariance = Eigen::MatrixXd::Identity(linear.knowledge.rows(), linear.knowledge.rows());
  linear.rank = target_rank(exposure);
  return estimate(system, linear, remove_own_influence(system, view, {}), exposure, kind, cut);
}

LinearReconstruction reconstruct_gradients(const View& view, const Exposure& exposure, EstimatorKind kind,
                                           double cut) {
  require_same_rounds(view, exposure);
  const PublicKnowledge& told = view.told();
  if (told.initial_parameters.empty() || !told.learning_rate) {
    fail(Fault::kConfig, "the D-GD attack needs the common initial parameters and the learning rate");
  }
  const TargetSystem system = make_target_system(*told.gossip_matrix, view.adversary());
  LinearSystem linear;
  linear.knowledge = dgd_knowledge_matrix(system, view.rounds());
  linear.covariance = dgd_noise_covariance(system, view.rounds());
  linear.rank = target_rank(exposure);
  const RowMajorMatrix observed = remove_own_influence(system, view, told.initial_parameters);
  LinearReconstruction out = estimate(system, linear, observed, exposure, kind, cut);
  out.values *= -1.0 / *told.learning_rate;
  return out;
}

std::vector<double> gossip_amplification(const GossipMatrix& matrix, const Adversary& adversary,
                                         std::size_t rounds) {
  const TargetSystem system = make_target_system(matrix, adversary);
  const Eigen::VectorXd by_target = error_amplification(gossip_knowledge_matrix(system, rounds, {}));
  std::vector<double> out(matrix.node_count(), 0.0);
  for (std::size_t i = 0; i < system.targets.size(); ++i)
    out[system.targets[i]] = by_target[static_cast<Eigen::Index>(i)];
  return out;
}

EstimatorKind estimator_kind(const std::string& name) {
  if (name == "ols") return EstimatorKind::kLeastSquares;
  if (name == "gls") return EstimatorKind::kGeneralisedLeastSquares;
  if (name == "truncated_svd") return EstimatorKind::kTruncatedSvd;
  fail(Fault::kInternal, "unknown estimator " + name);
}

std::vector<Parameter> estimator_parameters() {
  return {choice_parameter(
              "estimator", "ols", {"ols", "gls", "truncated_svd"},
              "least squares, weighted by the exact noise covariance, or without the weakest directions"),
          above_minimum(
              real_parameter("cut", kTruncation, 0, 1, "truncated_svd: relative size of what is given up"))};
}

namespace {

std::vector<Parameter> dgd_parameters() {
  std::vector<Parameter> all = estimator_parameters();
  all.push_back(
      choice_parameter("inversion", "largest_bias", {"largest_bias", "rank_one"},
                       "closed form from the largest bias gradient, or from the best rank-one fit"));
  all.push_back(
      integer_parameter("window", 0, 0, 1000000, "rounds the adversary records from the start; 0: all"));
  all.push_back(
      real_parameter("success_psnr", 10, -100, 150, "dB above which a reconstruction counts as success"));
  return all;
}

}  // namespace

std::span<const Schema> attack_schemas() {
  static const std::vector<Schema> schemas = {
      {"attack", "gossip_reconstruction",
       "solves the knowledge system of gossip averaging for the private values",
       "El Mrini, Cyffers & Bellet 2024, Algorithm 1", estimator_parameters()},
      {"attack", "dgd_reconstruction",
       "recovers local gradients from D-GD messages by least squares, then inverts them into inputs",
       "El Mrini, Cyffers & Bellet 2024, Algorithms 2 and 3", dgd_parameters()}};
  return schemas;
}

}  // namespace earshot
