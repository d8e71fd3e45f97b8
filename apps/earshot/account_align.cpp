#include "account_align.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include "console.hpp"
#include "earshot/protocol/noise_alignment.hpp"

namespace earshot::cli {
namespace {

struct AlignOptions {
  AlignmentOptions alignment;
  double edge_factor = 1;  // c of q = c ln n / n
  bool json = false;
};

Json to_json(const NoiseAlignment& aligned) {
  return {{"epsilon", aligned.epsilon},
          {"skip_ring", {{"visits", aligned.visits}}},
          {"server", {{"rounds", aligned.server_rounds}, {"sigma", aligned.server_sigma}}},
          {"muffliato", {{"rounds", aligned.gossip_rounds}, {"sigma", aligned.gossip_sigma}}}};
}

void print(const AlignOptions& options, const NoiseAlignment& aligned) {
  fmt::print("by time {:g}, epsilon = {:.4g} at delta = {:g} everywhere:\n", options.alignment.checkpoint,
             aligned.epsilon, options.alignment.delta + options.alignment.delta_visits);
  fmt::print("  skip_ring          {:6} visits, sigma {:.4g}\n", aligned.visits, options.alignment.sigma);
  fmt::print("  server             {:6} rounds, sigma {:.4g}\n", aligned.server_rounds, aligned.server_sigma);
  fmt::print(
      "  muffliato_random   {:6} rounds, sigma {:.4g} (published average over pairs, no upper bound)\n",
      aligned.gossip_rounds, aligned.gossip_sigma);
}

}  // namespace

void add_alignment(CLI::App& account) {
  CLI::App* command = account.add_subcommand(
      "align", "Noise for a server and for gossip that equals a ring's epsilon at one time");
  auto options = std::make_shared<AlignOptions>();
  AlignmentOptions& o = options->alignment;
  o.latency = {LatencyLaw::kExponential, 1, 0};
  command->add_option("--sigma", o.sigma, "noise per coordinate on the ring")->required();
  command->add_option("--nodes", o.nodes, "how many nodes learn")->required();
  command->add_option("--at", o.checkpoint, "time of the checkpoint; a step takes a node 1 on average")
      ->required();
  command->add_option("--clip", o.clip, "L2 norm an update is clipped to, everywhere");
  command->add_option("--skip", o.latency.skip_probability, "probability that a node is too slow");
  command->add_option("--communication", o.latency.communication, "time of one message");
  command->add_option("--server-messages", o.server_messages,
                      "messages one after the other in a round of the server");
  command->add_option("--gossip-steps", o.gossip_steps, "gossip steps of a round");
  command->add_option("-c", options->edge_factor, "edges of the random graphs: probability c ln n / n");
  command->add_option("--delta", o.delta, "delta of the releases");
  command->add_option("--delta-visits", o.delta_visits,
                      "probability that a ring node takes part more often than accounted");
  command->add_option("--seed", o.seed, "of the latencies");
  command->add_flag("--as-published", o.as_published, "the published bounds instead of exact composition");
  command->add_flag("--json", options->json, "print one JSON document on stdout");
  command->callback([options] {
    AlignmentOptions& alignment = options->alignment;
    const auto nodes = static_cast<double>(alignment.nodes);
    alignment.edge_probability = std::min(1.0, options->edge_factor * std::log(nodes) / nodes);
    const NoiseAlignment aligned = align_noise(alignment);
    if (options->json) {
      print_json(to_json(aligned));
    } else {
      print(*options, aligned);
    }
  });
}

}  // namespace earshot::cli
