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
       "ms_ssim",
       "structural similarity at up to five resolutions, 1 for equal images; 2 resolutions for 28x28 and "
       "32x32",
       "Wang, Simoncelli & Bovik 2003, Multiscale structural similarity for image quality assessment",
       {}},
      {"metric",
       "fsim",
       "similarity of phase congruency and gradients, 1 for equal images; with colour (FSIMc) for RGB",
       "Zhang, Zhang, Mou & Zhang 2011, FSIM: A Feature Similarity Index for Image Quality Assessment",
       {}},
      {"metric",
       "gradient_psnr",
       "PSNR in dB of the images' Laplacians instead of their pixels",
       "Shahbazi 2026",
       {}},
      {"metric",
       "relative_error",
       "Euclidean distance of reconstruction and truth over the norm of the truth",
       "El Mrini, Cyffers & Bellet 2024, Privacy Attacks in Decentralized Learning",
       {}},
      {"metric",
       "label_accuracy",
       "share of records whose reconstruction, matched to them by least total MSE, carries the right label",
       "Kuhn 1955, The Hungarian method for the assignment problem",
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
