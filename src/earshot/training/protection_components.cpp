#include "earshot/training/protection_components.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "earshot/accounting/calibration.hpp"
#include "earshot/core/error.hpp"
#include "earshot/core/text.hpp"
#include "earshot/mechanism/components.hpp"
#include "earshot/mechanism/concentrated_laplace.hpp"
#include "earshot/mechanism/gaussian.hpp"
#include "earshot/mechanism/laplace.hpp"
#include "earshot/training/split.hpp"

namespace earshot {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Parameter clip_parameter(const std::string& what) {
  return above_minimum(real_parameter("clip", 1.0, 0, kInfinity, what));
}

Parameter delta_parameter() {
  return above_minimum(real_parameter("delta", 1e-5, 0, 0.5, "delta at which epsilon is stated"));
}

/// "noise_multiplier" or "epsilon".
std::vector<Parameter> noise_parameters(const std::string& multiplier) {
  return {optional(above_minimum(real_parameter("noise_multiplier", {}, 0, kInfinity, multiplier))),
          optional(above_minimum(real_parameter(
              "epsilon", {}, 0, 1e9,
              "total epsilon of the run; noise is calibrated to it, instead of noise_multiplier")))};
}

std::vector<Parameter> accounting_parameters(const std::string& accountant) {
  return {choice_parameter("accountant", accountant, accountant_names(), "how releases are added up"),
          optional(above_minimum(
              real_parameter("budget", {}, 0, 1e9, "epsilon at which a participant stops releasing")))};
}

std::vector<Parameter> joined(std::vector<std::vector<Parameter>> parts) {
  std::vector<Parameter> all;
  for (auto& part : parts) {
    all.insert(all.end(), std::make_move_iterator(part.begin()), std::make_move_iterator(part.end()));
  }
  return all;
}

void set_accounting(const Settings& settings, Protection& protection) {
  protection.delta = settings.real("delta");
  protection.accountant = settings.text("accountant");
  if (settings.has("budget")) protection.budget = settings.real("budget");
}

/// What one node's run adds up to: its release, after sampling, and how often.
struct Run {
  ReleasePointer release;
  std::uint64_t count = 1;
};

Run sampled_run(const ProtectionUse& use, const ReleasePointer& inner) {
  Batches batches(all_of(use.records), {use.batch, use.draw, false}, {});
  const std::uint64_t per_release = use.draw == BatchDraw::kShuffled ? batches.steps_per_epoch() : 1;
  return {batches.release(0, inner), (use.steps + per_release - 1) / per_release};
}

/// The given multiplier, or the least one that keeps the promise; `run_of(multiplier)` says what will be
/// released.
double noise_multiplier(const Settings& settings, const std::string& mechanism,
                        const std::function<Run(double)>& run_of) {
  if (settings.has("epsilon") == settings.has("noise_multiplier")) {
    fail(Fault::kConfig,
         fmt::format("mechanism \"{}\" needs exactly one of \"epsilon\" (calibrate) and \"noise_multiplier\" "
                     "(given noise)",
                     mechanism));
  }
  if (settings.has("noise_multiplier")) return settings.real("noise_multiplier");
  const std::uint64_t count = run_of(1).count;
  if (count == 0) fail(Fault::kConfig, "noise cannot be calibrated for zero releases");
  return calibrate_noise([&](double noise) { return run_of(noise).release; }, count, settings.real("epsilon"),
                         settings.real("delta"), settings.text("accountant"));
}

Protection make_none(const Settings&, const ProtectionUse&) {
  return no_protection();
}

/// The mechanisms of whole vectors, on every step's average gradient.
Protection on_every_step(std::string_view name, const Settings& settings, const ProtectionUse& use) {
  const auto all = mechanism_components();
  const auto found = std::ranges::find_if(all, [&](const auto& c) { return c.schema.name == name; });
  Protection protection;
  protection.scope = ProtectedScope::kBatch;
  protection.mechanism = found->make(settings, use.steps);
  set_accounting(settings, protection);
  return protection;
}

Protection make_gaussian(const Settings& settings, const ProtectionUse& use) {
  return on_every_step("gaussian", settings, use);
}

Protection make_laplace(const Settings& settings, const ProtectionUse& use) {
  return on_every_step("laplace", settings, use);
}

Protection make_dp_sgd(const Settings& settings, const ProtectionUse& use) {
  PrivacyOptions options;
  options.clip = settings.real("clip");
  options.delta = settings.real("delta");
  options.draw = use.draw;
  options.accountant = settings.text("accountant");
  if (settings.has("budget")) options.budget = settings.real("budget");
  options.noise = noise_multiplier(settings, "dp_sgd", [&](double noise) {
    PrivacyOptions tried = options;
    tried.noise = noise;
    return sampled_run(use, dp_sgd(tried).mechanism->release());
  });
  return dp_sgd(options);
}

std::shared_ptr<const VectorMechanism> example_laplace(Norm norm, double clip, double multiplier,
                                                       Adjacency adjacency, double delta) {
  const double sensitivity = clipped_sensitivity(ClipScope::kExample, clip, adjacency);
  const MechanismTerms terms = promised_terms(norm, sensitivity, adjacency, "record");
  if (norm == Norm::kL1) return std::make_shared<LaplaceMechanism>(terms, multiplier * clip);
  return std::make_shared<ConcentratedLaplace>(terms, multiplier * clip, delta);
}

Protection make_laplace_sgd(const Settings& settings, const ProtectionUse& use) {
  Protection protection;
  protection.scope = ProtectedScope::kExample;
  protection.norm = settings.text("clip_norm") == "l1" ? Norm::kL1 : Norm::kL2;
  protection.clip = settings.real("clip");
  set_accounting(settings, protection);
  if (protection.norm == Norm::kL2 && use.draw != BatchDraw::kShuffled) {
    fail(Fault::kConfig,
         "Laplace noise on gradients clipped in L2 has no bound for sampled batches: set draw to "
         "\"shuffled\", or clip_norm to \"l1\"");
  }
  const auto noise = [&](double multiplier) {
    return example_laplace(protection.norm, protection.clip, multiplier, adjacency_of(use.draw),
                           protection.delta);
  };
  protection.mechanism = noise(noise_multiplier(settings, "laplace_sgd", [&](double multiplier) {
    return sampled_run(use, noise(multiplier)->release());
  }));
  return protection;
}

/// Batch gradient clipped in L2 as one vector, Laplace noise of scale clip / epsilon per coordinate and step:
/// the client of Shahbazi 2026. What it really promises is entered into the ledger: any one record can move
/// the clipped average anywhere in the ball, so the sensitivity is 2 clip, in L2.
Protection make_laplace_as_published(const Settings& settings, const ProtectionUse& use) {
  const double clip = settings.real("clip");
  const std::size_t batch = use.batch == 0 ? use.records : std::min(use.batch, use.records);
  const double divisor = settings.boolean("divide_by_batch") ? static_cast<double>(batch) : 1;
  Protection protection;
  protection.scope = ProtectedScope::kBatch;
  set_accounting(settings, protection);
  protection.mechanism = std::make_shared<ConcentratedLaplace>(
      clipped_terms(Norm::kL2, clip, Adjacency::kReplace, "one node's whole data"),
      clip / (settings.real("label_epsilon") * divisor), protection.delta);
  return protection;
}

Protection make_client_update(const Settings& settings, const ProtectionUse& use) {
  const double clip = settings.real("clip");
  const MechanismTerms terms = clipped_terms(Norm::kL2, clip, Adjacency::kReplace, "one node's whole data");
  Protection protection;
  protection.scope = ProtectedScope::kUpdate;
  set_accounting(settings, protection);
  const auto noise = [&](double multiplier) {
    return std::make_shared<GaussianMechanism>(terms, multiplier * clip, protection.delta);
  };
  protection.mechanism = noise(noise_multiplier(settings, "client_update", [&](double multiplier) {
    return Run{noise(multiplier)->release(), use.rounds};
  }));
  return protection;
}

/// The schema of a mechanism of whole vectors, with what a participant's account needs beside it.
Schema with_accounting(std::string_view name, std::vector<Parameter> more) {
  const auto all = mechanism_components();
  Schema schema = std::ranges::find_if(all, [&](const auto& c) { return c.schema.name == name; })->schema;
  schema.parameters = joined({schema.parameters, std::move(more), accounting_parameters("pld")});
  return schema;
}

std::vector<ProtectionComponent> make_components() {
  return {{mechanism_components().front().schema, make_none},
          {with_accounting("gaussian", {}), make_gaussian},
          {with_accounting("laplace", {delta_parameter()}), make_laplace},
          {{"mechanism", "dp_sgd",
            "every example's gradient is clipped in L2, and the sum of a step gets Gaussian noise",
            "Abadi et al. 2016",
            joined({{clip_parameter("L2 norm an example's gradient is clipped to")},
                    noise_parameters("deviation of the noise on a step's sum / clip"),
                    {delta_parameter()},
                    accounting_parameters("rdp")})},
           make_dp_sgd},
          {{"mechanism", "laplace_sgd",
            "every example's gradient is clipped, and the sum of a step gets Laplace noise",
            "Dwork, McSherry, Nissim & Smith 2006 (l1); Bun & Steinke 2016 (l2)",
            joined({{clip_parameter("norm an example's gradient is clipped to"),
                     choice_parameter("clip_norm", "l1", {"l1", "l2"},
                                      "l1: pure differential privacy per step; l2: concentrated, for batches "
                                      "that are not sampled")},
                    noise_parameters("scale of the noise on a step's sum / clip"),
                    {delta_parameter()},
                    accounting_parameters("rdp")})},
           make_laplace_sgd},
          {{"mechanism", "laplace_as_published",
            "the average gradient of a step is clipped in L2 and gets Laplace noise of scale clip / "
            "label_epsilon; what that promises is stated, not the label",
            "Shahbazi 2026",
            joined({{clip_parameter("L2 norm a step's average gradient is clipped to"),
                     above_minimum(real_parameter("label_epsilon", {}, 0, 1e9,
                                                  "the epsilon claimed, from which the noise follows")),
                     boolean_parameter("divide_by_batch", true, "the noise is divided by the batch size"),
                     delta_parameter()},
                    accounting_parameters("zcdp")})},
           make_laplace_as_published},
          {{"mechanism", "client_update",
            "what a participant's round changed is clipped in L2 as one vector and gets Gaussian noise",
            "McMahan, Ramage, Talwar & Zhang 2018",
            joined({{clip_parameter("L2 norm an update is clipped to")},
                    noise_parameters("deviation of the noise / clip"),
                    {delta_parameter()},
                    accounting_parameters("rdp")})},
           make_client_update}};
}

}  // namespace

std::span<const ProtectionComponent> protection_components() {
  static const std::vector<ProtectionComponent> components = make_components();
  return components;
}

const ProtectionComponent& find_protection(std::string_view name) {
  std::vector<std::string> names;
  for (const ProtectionComponent& component : protection_components()) {
    if (component.schema.name == name) return component;
    names.push_back(component.schema.name);
  }
  fail(Fault::kUsage, fmt::format("no mechanism is called \"{}\": {}", name, suggest(name, names)));
}

}  // namespace earshot
