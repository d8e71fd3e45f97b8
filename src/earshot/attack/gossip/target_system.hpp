// The linear system an adversary solves, in floating point: targets T, heard nodes, and the blocks of W.
#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <vector>

#include "earshot/graph/gossip_matrix.hpp"
#include "earshot/threat/view.hpp"

namespace earshot {

using RowMajorMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using SparseRows = Eigen::SparseMatrix<double, Eigen::RowMajor>;

/// W partitioned by members A and targets T (El Mrini et al. 2024, eq. 4).
struct TargetSystem {
  std::vector<NodeId> members;
  std::vector<NodeId> targets;
  std::vector<Eigen::Index> heard;  // positions in `targets` of the heard nodes, ascending
  SparseRows among_targets;         // W_TT
  SparseRows from_members;          // W_TA

  Eigen::Index target_count() const { return static_cast<Eigen::Index>(targets.size()); }
  Eigen::Index heard_count() const { return static_cast<Eigen::Index>(heard.size()); }
};
TargetSystem make_target_system(const GossipMatrix& matrix, const Adversary& adversary);

/// omega_t of accelerated gossip; 1 where `mixing` is silent.
double mixing_at(std::span<const double> mixing, std::size_t round);

/// Rows (round, heard node) of P_t(W_TT) with P_t the gossip polynomial: what a heard node's message says
/// about the targets' initial values once the members' own influence is removed. Plain gossip: W_TT^t.
Eigen::MatrixXd gossip_knowledge_matrix(const TargetSystem& system, std::size_t rounds,
                                        std::span<const double> mixing);

/// Rows (round, heard node) of sum_{j<=t} W_TT^j: what a D-GD message says about constant updates g_v
/// (El Mrini et al. 2024, Algorithm 2; one column per target).
Eigen::MatrixXd dgd_knowledge_matrix(const TargetSystem& system, std::size_t rounds);

/// Covariance of the D-GD messages under i.i.d. unit noise on every update:
/// Cov[(t1,v1),(t2,v2)] = sum_{s<=min(t1,t2)} (W_TT^{t1-s} (W_TT^{t2-s})^T)[v1,v2].
Eigen::MatrixXd dgd_noise_covariance(const TargetSystem& system, std::size_t rounds);

/// The heard messages minus everything the members themselves caused (Algorithm 3, with W_TA in the update):
/// one row per (round, heard node). `origin` is subtracted from every message first (the common theta^0 of
/// D-GD).
RowMajorMatrix remove_own_influence(const TargetSystem& system, const View& view,
                                    std::span<const double> origin);

}  // namespace earshot
