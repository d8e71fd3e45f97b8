// L1 sensitivity of an encoder: how far apart in L1 norm two encoded records can be.
#pragma once

#include <Eigen/Core>

namespace earshot {

// Points are columns. All distances are exact up to the rounding of one sum of Z terms.

/// max over pairs of ||p_i - p_j||_1, by whichever of the two ways below is expected to be quicker. At least
/// one point; all finite.
double l1_diameter(const Eigen::MatrixXd& points);

/// The same by sign vectors: ||v||_1 = max over s in {-1, 1}^Z of <s, v>, so the diameter is the largest
/// extent of the points along a sign vector: 2^(Z-1) N additions instead of N^2 Z / 2. At most
/// kMostSignedAxes axes.
double l1_diameter_by_signs(const Eigen::MatrixXd& points);
inline constexpr Eigen::Index kMostSignedAxes = 24;

/// The same by looking at pairs, farthest from a common centre first: a pair whose distances to the centre
/// add up to no more than the best distance found cannot beat it, and neither can any later one.
double l1_diameter_by_pairs(const Eigen::MatrixXd& points);

/// Diameter of {encoder x : |x_k - c_k| <= widths_k / 2}, for any centre c: an image of a box has its
/// extremes at corners, so it is the largest over sign vectors s of sum_k widths_k |(encoder^T s)_k|.
double l1_diameter_of_box(const Eigen::MatrixXd& encoder, const Eigen::VectorXd& widths);

/// Diameter of {encoder x : ||x - c||_2 <= radius}: 2 radius times the largest ||encoder^T s||_2 over sign
/// vectors s; it is 2 radius ||encoder||_F exactly when the rows of the encoder are orthogonal.
double l1_diameter_of_ball(const Eigen::MatrixXd& encoder, double radius);

}  // namespace earshot
