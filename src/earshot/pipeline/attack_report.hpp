// Collects, over all adversaries of a trial, the scores and pictures of what was reconstructed.
#pragma once

#include "earshot/pipeline/attacker_table.hpp"
#include "earshot/pipeline/images.hpp"

namespace earshot {

/// One victim's reconstruction as the attack delivered it.
struct Guess {
  NodeId victim = 0;
  std::vector<double> image;         // empty: the attack had nothing to say
  std::optional<std::size_t> label;  // when the attack infers one
  double standard_error = 0;         // the attack's own account
};

/// Pictures are kept for the first trial of a cell only, and no more than this many.
inline constexpr std::size_t kMostPictures = 600;

class AttackReport {
 public:
  AttackReport(const Stage& stage, const StageExposure& exposed, const LoadedImages& images,
               const PrivateImages& truth, double success_psnr);
  static std::vector<std::string> columns();

  void add(std::size_t adversary, const std::vector<Guess>& guesses, bool with_pictures);
  Json victims() const { return victims_.json(); }
  const std::vector<AttackTally>& tallies() const { return tallies_; }
  const Json& gallery() const { return gallery_; }
  Json truths() const;

 private:
  const Stage& stage_;
  const StageExposure& exposed_;
  const LoadedImages& images_;
  const PrivateImages& truth_;
  double success_psnr_;
  RowTable victims_;
  std::vector<AttackTally> tallies_;
  Json gallery_ = Json::array();
};

}  // namespace earshot
