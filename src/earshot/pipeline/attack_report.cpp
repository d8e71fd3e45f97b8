#include "earshot/pipeline/attack_report.hpp"

namespace earshot {

AttackReport::AttackReport(const Stage& stage, const StageExposure& exposed, const LoadedImages& images,
                           const PrivateImages& truth, double success_psnr)
    : stage_(stage),
      exposed_(exposed),
      images_(images),
      truth_(truth),
      success_psnr_(success_psnr),
      victims_(columns()) {}

std::vector<std::string> AttackReport::columns() {
  std::vector<std::string> all = victim_columns();
  const auto scores = score_columns();
  all.insert(all.end(), scores.begin(), scores.end());
  all.insert(all.end(), {"success", "label_correct", "standard_error"});
  return all;
}

void AttackReport::add(std::size_t adversary, const std::vector<Guess>& guesses, bool with_pictures) {
  const Graph& graph = stage_.graph();
  const std::string attacker = adversary_name(graph, stage_.adversaries[adversary]);
  const auto distances = distances_from(graph, stage_.adversaries[adversary]);
  AttackTally tally;
  for (const Guess& guess : guesses) {
    const auto& truth = truth_.by_node[guess.victim];
    const double psnr = image_psnr(truth, guess.image);
    const bool success = psnr > success_psnr_;
    Json row = victim_row(stage_, exposed_, adversary, guess.victim, distances);
    for (Json& score : score_row(images_, truth, guess.image)) row.push_back(std::move(score));
    row.push_back(success ? 1 : 0);
    row.push_back(guess.label ? Json(*guess.label == truth_.labels[guess.victim] ? 1 : 0) : Json(nullptr));
    row.push_back(finite_or_null(guess.standard_error));
    victims_.add(std::move(row));
    tally.success_rate += success ? 1.0 : 0.0;
    tally.mean_psnr += psnr;
    if (with_pictures && gallery_.size() < kMostPictures) {
      gallery_.push_back({{"attacker", attacker},
                          {"victim", graph.name(guess.victim)},
                          {"image", image_text(images_, guess.image)},
                          {"psnr", psnr}});
    }
  }
  const double count = std::max<double>(1, static_cast<double>(guesses.size()));
  tallies_.push_back({tally.success_rate / count, tally.mean_psnr / count});
}

Json AttackReport::truths() const {
  Json out = Json::object();
  for (NodeId node = 0; node < stage_.graph().node_count() && node < kMostPictures; ++node) {
    out[stage_.graph().name(node)] = image_text(images_, truth_.by_node[node]);
  }
  return out;
}

}  // namespace earshot
