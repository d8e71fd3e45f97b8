#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include <fmt/format.h>

#include "commands.hpp"
#include "console.hpp"
#include "earshot/audit/catalogue.hpp"
#include "earshot/core/error.hpp"
#include "earshot/core/parallel.hpp"
#include "earshot/core/text.hpp"

namespace earshot::cli {
namespace {

struct VerifyOptions {
  std::string mechanism;
  std::map<std::string, std::string> parameters;  // given ones, by key of the schemas
  std::optional<double> claim;
  std::optional<std::uint64_t> seed;
  bool protect = false;
  DistinguisherOptions distinguisher;
  CommonOptions common;
};

struct Verified {
  const AuditComponent* component;
  Json parameters;
  Audit audit;
  AuditResult result;
};

/// A number or a word, as the schema will check it.
Json value_of(const std::string& text) {
  const Json number = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  return number.is_number() ? number : Json(text);
}

bool knows(const Schema& schema, const std::string& key) {
  return std::ranges::any_of(schema.parameters, [&](const Parameter& p) { return p.key == key; });
}

/// With `all`, a parameter goes to the audits that have it.
Json parameters_for(const AuditComponent& component, const VerifyOptions& options) {
  Json given = Json::object();
  for (const auto& [key, text] : options.parameters) {
    if (options.mechanism != "all" || knows(component.schema, key)) given[key] = value_of(text);
  }
  return given;
}

std::vector<Verified> prepare(const VerifyOptions& options) {
  const Operation operation = options.protect ? Operation::kProtect : Operation::kSimulate;
  std::vector<const AuditComponent*> chosen;
  if (options.mechanism == "all") {
    for (const AuditComponent& component : audit_components()) chosen.push_back(&component);
  } else {
    chosen.push_back(&audit_component(options.mechanism));
  }
  std::vector<Verified> all;
  for (const AuditComponent* component : chosen) {
    Json given = parameters_for(*component, options);
    Audit audit = make_audit(*component, given, operation);
    if (options.claim) audit.claim.epsilon = *options.claim;
    all.push_back({component, std::move(given), std::move(audit), {}});
  }
  return all;
}

Json document(const Verified& verified, const DistinguisherOptions& options, bool protect) {
  const Audit& audit = verified.audit;
  const EpsilonBound& bound = verified.result.bound;
  return {{"mechanism", verified.component->schema.name},
          {"operation", protect ? "protect" : "simulate"},
          {"parameters", verified.parameters},
          {"statement", to_json(audit.statement)},
          {"claimed_epsilon", audit.claim.epsilon},
          {"epsilon_lower_bound", bound.epsilon},
          {"passed", verified.result.passed},
          {"largest_possible_bound", largest_bound(audit.claim.delta, options)},
          {"inputs", audit.inputs},
          {"observed", audit.observed},
          {"event", describe(bound.event)},
          {"likelier_input", bound.likelier},
          {"likelier_hits", bound.likelier_hits},
          {"other_hits", bound.other_hits},
          {"trials", bound.trials},
          {"samples", options.samples},
          {"false_alarm", options.false_alarm},
          {"seed", protect ? Json(nullptr) : Json(options.seed)}};
}

std::string delta_text(double delta) {
  return delta == 0 ? "" : fmt::format(" at delta {:.4g}", delta);
}

std::string verdict(bool passed, const TerminalStyle& style) {
  const char* word = passed ? "not refuted" : "REFUTED";
  return style.colour ? fmt::format("\x1b[{}m{}\x1b[0m", passed ? "32" : "31", word) : word;
}

void print_audit(const Verified& verified, const DistinguisherOptions& options, const TerminalStyle& style) {
  const Audit& audit = verified.audit;
  const EpsilonBound& bound = verified.result.bound;
  const std::array<std::uint64_t, 2> hits = bound.likelier == 0
                                                ? std::array{bound.likelier_hits, bound.other_hits}
                                                : std::array{bound.other_hits, bound.likelier_hits};
  fmt::print("{}: {}\n", verified.component->schema.name, verdict(verified.result.passed, style));
  fmt::print("  stated    epsilon {:.6g}{}: {}\n", *audit.statement.epsilon, delta_text(audit.claim.delta),
             audit.statement.definition);
  fmt::print("            {}; {}\n", audit.statement.unit, audit.statement.adjacency);
  for (const std::string& assumption : audit.statement.assumptions)
    fmt::print("            {}\n", assumption);
  if (audit.claim.epsilon != *audit.statement.epsilon)
    fmt::print("  claimed   epsilon {:.6g}, tested instead\n", audit.claim.epsilon);
  fmt::print("  measured  epsilon at least {:.4f}{}, false alarms {:.3g}\n", bound.epsilon,
             delta_text(audit.claim.delta), options.false_alarm);
  fmt::print("  inputs    0: {}   1: {}\n", audit.inputs[0], audit.inputs[1]);
  fmt::print("  observed  {}\n", audit.observed);
  fmt::print("  event     {}: {} and {} of {} runs on input 0 and 1\n", describe(bound.event), hits[0],
             hits[1], bound.trials);
}

void print_table(const std::vector<Verified>& all, const DistinguisherOptions& options,
                 const TerminalStyle& style) {
  fmt::print("{:<26} {:>9} {:>9} {:>9}\n", "mechanism", "delta", "tested", "at least");
  for (const Verified& verified : all) {
    fmt::print("{:<26} {:>9.3g} {:>9.4f} {:>9.4f}  {}\n", verified.component->schema.name,
               verified.audit.claim.delta, verified.audit.claim.epsilon, verified.result.bound.epsilon,
               verdict(verified.result.passed, style));
  }
  fmt::print("\n{} samples per input, false alarms {:.3g} each\n", options.samples, options.false_alarm);
}

void show(const std::vector<Verified>& all, const VerifyOptions& options,
          const DistinguisherOptions& distinguisher, bool passed) {
  if (options.common.json) {
    Json audits = Json::array();
    for (const Verified& verified : all) audits.push_back(document(verified, distinguisher, options.protect));
    print_json({{"passed", passed},
                {"false_alarm", options.distinguisher.false_alarm},
                {"audits", std::move(audits)}});
  } else if (all.size() == 1) {
    print_audit(all.front(), distinguisher, terminal_style());
  } else {
    print_table(all, distinguisher, terminal_style());
  }
}

void verify(const VerifyOptions& options) {
  if (options.protect && options.seed)
    fail(Fault::kUsage, "--seed and --protect exclude each other: protection is never replayable");
  set_thread_count(options.common.threads);
  std::vector<Verified> all = prepare(options);
  DistinguisherOptions distinguisher = options.distinguisher;
  if (options.seed) distinguisher.seed = *options.seed;
  // All audits of one command together raise a false alarm with the stated probability at most.
  distinguisher.false_alarm /= static_cast<double>(all.size());
  {
    Progress progress("verifying", 2 * distinguisher.samples * all.size());
    for (Verified& verified : all) {
      verified.result = with_context(verified.component->schema.name,
                                     [&] { return run_audit(verified.audit, distinguisher, &progress); });
    }
  }
  std::vector<std::string> refuted;
  for (const Verified& verified : all) {
    if (!verified.result.passed) refuted.push_back(verified.component->schema.name);
  }
  show(all, options, distinguisher, refuted.empty());
  if (!refuted.empty()) {
    fail(Fault::kExpectation, "less private than claimed, by what was measured: " + join(refuted, ", "));
  }
}

/// One option per parameter of any audit; which ones a mechanism has, its schema says.
void add_parameters(CLI::App& command, const std::shared_ptr<VerifyOptions>& options) {
  std::set<std::string> added;
  for (const AuditComponent& component : audit_components()) {
    for (const Parameter& parameter : component.schema.parameters) {
      const std::string& key = parameter.key;
      if (!added.insert(key).second) continue;
      command
          .add_option_function<std::string>(
              "--" + key, [options, key](const std::string& text) { options->parameters[key] = text; },
              parameter.help)
          ->type_name("VALUE")
          ->group("Parameters of mechanisms");
    }
  }
}

std::string mechanism_list() {
  std::string text = "Mechanisms:\n";
  for (const AuditComponent& component : audit_components()) {
    text += fmt::format("  {:<26} {}\n", component.schema.name, component.schema.summary);
    std::vector<std::string> keys;
    for (const Parameter& p : component.schema.parameters)
      keys.push_back(fmt::format("--{} ({}; {})", p.key, type_description(p), p.fallback->dump()));
    text += fmt::format("  {:<26}   {}\n", "", join(keys, ", "));
  }
  return text;
}

}  // namespace

void add_verify_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "verify", "Run a mechanism on neighbouring inputs and bound its epsilon from below by what is seen");
  auto options = std::make_shared<VerifyOptions>();
  command->add_option("MECHANISM", options->mechanism, "mechanism by name, or all")->required();
  command->add_option("--samples", options->distinguisher.samples, "runs per input")
      ->check(CLI::Range(1000, 100'000'000))
      ->capture_default_str();
  command
      ->add_option("--false-alarm", options->distinguisher.false_alarm,
                   "probability that a correct mechanism is refuted")
      ->check(CLI::Range(1e-15, 0.5))
      ->capture_default_str();
  command->add_option("--seed", options->seed, "seed of the simulated noise (default 1)");
  command->add_flag("--protect", options->protect,
                    "audit the exact noise for real data, drawn from the operating system");
  command->add_option("--claim", options->claim, "epsilon to test instead of the one stated")
      ->check(CLI::Range(0.0, 1e6));
  add_parameters(*command, options);
  add_common_options(*command, options->common);
  command->footer(mechanism_list());
  command->callback([options] { verify(*options); });
}

}  // namespace earshot::cli
