#include "earshot/metric/metrics.hpp"

#include <vector>

namespace earshot {

std::span<const Schema> metric_schemas() {
  static const std::vector<Schema> schemas{
      {"metric",
       "mse",
       "mean squared difference of reconstruction and truth; lower is a better attack",
       "",
       {}},
      {"metric",
       "psnr",
       "peak signal-to-noise ratio in dB, 10 log10(range^2 / MSE), at most 150; above 10 counts as success",
       "El Mrini, Cyffers & Bellet 2024, Privacy Attacks in Decentralized Learning",
       {}},
      {"metric",
       "ssim",
       "structural similarity, 1 for equal images; 11x11 Gaussian window",
       "Wang, Bovik, Sheikh & Simoncelli 2004, Image quality assessment: from error visibility to structural "
       "similarity",
       {}},
      {"metric",
       "relative_error",
       "Euclidean distance of reconstruction and truth over the norm of the truth",
       "El Mrini, Cyffers & Bellet 2024, Privacy Attacks in Decentralized Learning",
       {}},
      {"metric",
       "spearman",
       "correlation of ranks, ties sharing their average rank",
       "Spearman 1904, The proof and measurement of association between two things",
       {}},
      {"metric",
       "kendall",
       "share of agreeing minus disagreeing pairs, corrected for ties (tau-b)",
       "Kendall 1945, The treatment of ties in ranking problems",
       {}}};
  return schemas;
}

}  // namespace earshot
