#include "earshot/pipeline/gossip_trial.hpp"

#include <algorithm>
#include <memory>

#include "earshot/attack/gossip/gossip_attack.hpp"
#include "earshot/core/parallel.hpp"
#include "earshot/graph/spectrum.hpp"
#include "earshot/metric/reconstruction.hpp"
#include "earshot/network/local_network.hpp"
#include "earshot/pipeline/attack_report.hpp"
#include "earshot/pipeline/components.hpp"
#include "earshot/pipeline/release_record.hpp"
#include "earshot/protocol/gossip_averaging.hpp"
#include "earshot/threat/view.hpp"

namespace earshot {
namespace {

/// A node releases its value once, before the first round; everything later is post-processing.
constexpr std::size_t kReleases = 1;

std::unique_ptr<VectorMechanism> make_mechanism(const Cell& cell) {
  const Choice& choice = cell.at("mechanism");
  return mechanism_component(choice.kind).make(choice.settings, kReleases);
}

std::vector<double> mixing_of(const Cell& cell, const Stage& stage) {
  const Settings& protocol = cell.at("protocol").settings;
  if (protocol.text("acceleration") != "chebyshev") return {};
  return chebyshev_mixing(second_eigenvalue_modulus(stage.matrix), protocol.size("rounds"));
}

/// Runs the protocol and answers with what every node let out.
std::vector<std::vector<ReleasePointer>> run_gossip(const Cell& cell, const TrialAddress& address,
                                                    const Stage& stage, const PrivateImages& truth,
                                                    const VectorMechanism& mechanism, Recorder& recorder,
                                                    const std::vector<double>& mixing) {
  const Settings& protocol = cell.at("protocol").settings;
  std::vector<std::unique_ptr<GossipAveraging>> nodes;
  std::vector<Participant*> participants;
  std::vector<std::vector<ReleasePointer>> releases;
  for (NodeId node = 0; node < stage.graph().node_count(); ++node) {
    std::vector<double> value = truth.by_node[node];
    Stream noise({address.seed, Purpose::kPrivacyNoise, address.trial, node, 0});
    releases.push_back({mechanism.simulate(value, noise)});
    nodes.push_back(std::make_unique<GossipAveraging>(stage.matrix, node, std::move(value), mixing));
    participants.push_back(nodes.back().get());
  }
  const bool single = protocol.text("message_precision") == "float32";
  FixedTopology topology(stage.graph());
  LocalNetwork network(topology, std::move(participants),
                       single ? WirePrecision::kSingle : WirePrecision::kDouble);
  network.attach(recorder);
  network.run(static_cast<Round>(protocol.size("rounds")));
  return releases;
}

std::vector<Guess> attack(const View& view, const Exposure& exposure, const Settings& settings) {
  const LinearReconstruction found =
      reconstruct_values(view, exposure, estimator_kind(settings.text("estimator")), settings.real("cut"));
  std::vector<Guess> guesses;
  for (std::size_t i = 0; i < found.targets.size(); ++i) {
    const auto row = found.values.row(static_cast<Eigen::Index>(i));
    Guess guess;
    guess.victim = found.targets[i];
    guess.standard_error = found.standard_error[i];
    guess.image.assign(row.begin(), row.end());
    guesses.push_back(std::move(guess));
  }
  return guesses;
}

void attack_values(const Cell& cell, const TrialAddress& address, const Stage& stage,
                   const StageExposure& exposed, const LoadedImages& images, const VectorMechanism& mechanism,
                   Json& out) {
  const PrivateImages truth = deal_images(images, stage.graph().node_count(), address);
  PublicKnowledge told;
  told.gossip_matrix = &stage.matrix;
  told.mixing = mixing_of(cell, stage);
  const std::vector<double> mixing = told.mixing;
  Recorder recorder(stage.graph(), stage.adversaries, std::move(told),
                    static_cast<Round>(recorded_rounds(cell)));
  const Ledger ledger = record_releases(stage.graph(), mechanism.terms(),
                                        run_gossip(cell, address, stage, truth, mechanism, recorder, mixing));
  std::vector<std::vector<Guess>> guesses(stage.adversaries.size());
  parallel_for(guesses.size(), [&](std::size_t i) {
    if (heard_nodes(stage.graph(), stage.adversaries[i]).empty()) return;
    guesses[i] = attack(recorder.views()[i], exposed.exposures[i], cell.at("attack").settings);
  });
  AttackReport report(stage, exposed, images, truth, kPsnrSuccess);
  for (std::size_t i = 0; i < guesses.size(); ++i) report.add(i, guesses[i], address.trial == 0);
  out["tables"] = {{"attackers", attacker_table(stage, exposed, unit_roundoff(cell), &report.tallies())},
                   {"victims", report.victims()}};
  if (address.trial == 0) {
    out["statement"] = to_json(recorded_statement(ledger, mechanism, cell.at("mechanism").settings));
    out["ledger"] = ledger.to_text();
    out["truths"] = report.truths();
    out["gallery"] = report.gallery();
  }
}

}  // namespace

Json run_gossip_trial(const Cell& cell, const TrialAddress& address, const Stage& stage,
                      const LoadedImages* images) {
  const std::size_t rounds = recorded_rounds(cell);
  const StageExposure exposed = expose(stage, rounds);
  const auto mechanism = make_mechanism(cell);
  Json out = Json::object();
  if (images != nullptr) {
    attack_values(cell, address, stage, exposed, *images, *mechanism, out);
  } else {
    out["tables"] = {{"attackers", attacker_table(stage, exposed, unit_roundoff(cell), nullptr)}};
  }
  if (address.trial != 0) return out;
  std::size_t analysed = rounds;
  for (const Exposure& exposure : exposed.exposures) analysed = std::max(analysed, exposure.rounds);
  out["network"] = network_json(stage, analysed);
  out["exposure"] = exposure_json(stage, exposed, unit_roundoff(cell));
  // Before any data exists: what the mechanism would promise.
  if (images == nullptr) out["statement"] = to_json(mechanism->statement(kReleases));
  return out;
}

}  // namespace earshot
