#include <cmath>
#include <memory>

#include <fmt/format.h>

#include "account_network.hpp"
#include "commands.hpp"
#include "console.hpp"
#include "earshot/accounting/accountant.hpp"
#include "earshot/accounting/calibration.hpp"
#include "earshot/accounting/ledger.hpp"
#include "earshot/accounting/metric_accountant.hpp"
#include "earshot/accounting/pld_accountant.hpp"
#include "earshot/core/error.hpp"
#include "earshot/core/files.hpp"
#include "earshot/core/text.hpp"
#include "statement_text.hpp"

namespace earshot::cli {
namespace {

/// What every account of repeated releases asks for.
struct RunOptions {
  std::uint64_t steps = 1;
  double delta = 1e-5;
  std::string accountant = "pld";
  std::string sampling = "none";
  double rate = 0;
  std::uint64_t population = 0;
  std::uint64_t sample = 0;
  std::uint64_t group = 1;
  bool json = false;
};

struct NoiseOptions {
  double noise = 0;  // sigma or scale
  double sensitivity = 1;
  std::uint64_t steps_of_grid = 1;  // sensitivity on a grid
  double epsilon = 0;
  std::uint64_t categories = 2;
};

const ProtectedUnit kAddRemove{"one record", "add or remove one record"};
const ProtectedUnit kReplace{"one record", "replace one record by any other"};

ReleasePointer sampled(const RunOptions& run, const ReleasePointer& release) {
  if (run.sampling == "poisson") {
    if (run.population != 0 || run.sample != 0)
      fail(Fault::kUsage, "--sampling poisson takes --rate, not --population and --sample");
    if (run.rate == 0) fail(Fault::kUsage, "--sampling poisson needs --rate");
    return poisson_sampled(run.rate, release);
  }
  if (run.rate != 0) fail(Fault::kUsage, "--rate is the rate of --sampling poisson");
  if (run.sampling == "without-replacement") {
    if (run.population == 0 || run.sample == 0)
      fail(Fault::kUsage, "--sampling without-replacement needs --population and --sample");
    return make_release(SampledWithoutReplacementRelease{run.population, run.sample, release});
  }
  if (run.population != 0 || run.sample != 0)
    fail(Fault::kUsage, "--population and --sample belong to --sampling without-replacement");
  return release;
}

const ProtectedUnit& protects(const RunOptions& run) {
  return run.sampling == "without-replacement" ? kReplace : kAddRemove;
}

/// Lower and upper bound when the accountant has both.
Json bounds_of(const RunOptions& run, const ReleasePointer& release) {
  if (run.accountant != "pld" || run.group != 1) return Json::object();
  PldAccountant accountant;
  accountant.add(*release, run.steps);
  const auto bounds = accountant.epsilon_bounds(run.delta);
  if (!std::isfinite(bounds.upper)) return Json::object();
  return {{"epsilon_lower", bounds.lower}, {"epsilon_upper", bounds.upper}};
}

PrivacyStatement run_statement(const RunOptions& run, const ReleasePointer& release) {
  const auto accountant = make_accountant(run.accountant);
  accountant->add(*release, run.steps);
  PrivacyStatement statement;
  const double epsilon = group_epsilon(*accountant, run.group, run.delta);
  if (std::isfinite(epsilon)) statement.epsilon = epsilon;
  statement.delta = run.delta;
  statement.definition = "(epsilon, delta)-differential privacy of all releases together";
  statement.unit = run.group == 1 ? protects(run).unit : fmt::format("any {} records together", run.group);
  statement.adjacency = run.group == 1 ? protects(run).adjacency
                                       : fmt::format("{}, {} times", protects(run).adjacency, run.group);
  statement.adversary = "anyone who sees every release and knows all other records";
  statement.assumptions = {fmt::format("{} x {}", run.steps, describe(*release))};
  if (statement.epsilon && run.group == 1) statement.assumptions.push_back(accountant->method(run.delta));
  if (run.group > 1) statement.assumptions.emplace_back("group privacy (Vadhan 2017, Lemma 2.2)");
  if (run.sampling == "poisson") {
    statement.assumptions.emplace_back(
        "every step draws its own Poisson sample; shuffled or fixed batches do not have this guarantee");
  }
  return statement;
}

void account_release(const RunOptions& run, const ReleasePointer& release) {
  const ReleasePointer whole = sampled(run, release);
  Json facts = {{"accountant", run.accountant}, {"releases", run.steps}, {"release", to_json(*whole)}};
  facts.update(bounds_of(run, whole));
  print_statement(run_statement(run, whole), facts, run.json);
}

void add_run_options(CLI::App& command, RunOptions& run, const std::string& default_accountant = "pld") {
  run.accountant = default_accountant;
  command.add_option("--steps", run.steps, "number of releases")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 50));
  command.add_option("--delta", run.delta, "delta at which epsilon is stated");
  command.add_option("--accountant", run.accountant, "pld (tightest), rdp or zcdp")
      ->check(CLI::IsMember(accountant_names()));
  command.add_option("--sampling", run.sampling, "none, poisson (with --rate) or without-replacement")
      ->check(CLI::IsMember({"none", "poisson", "without-replacement"}));
  command.add_option("--rate", run.rate, "probability of a record to be in the sample of a step");
  command.add_option("--population", run.population, "records to draw from, without replacement");
  command.add_option("--sample", run.sample, "records drawn, without replacement");
  command.add_option("--group", run.group, "protect that many records together")
      ->check(CLI::Range(1, 1000000));
  command.add_flag("--json", run.json, "print one JSON document on stdout");
}

double ratio(double noise, double sensitivity) {
  if (!(sensitivity > 0) || !std::isfinite(sensitivity))
    fail(Fault::kConfig, "the sensitivity must be positive and finite");
  return noise / sensitivity;
}

void add_gaussian(CLI::App& account) {
  CLI::App* command = account.add_subcommand("gaussian", "Gaussian noise, repeated and sampled");
  auto run = std::make_shared<RunOptions>();
  auto noise = std::make_shared<NoiseOptions>();
  command->add_option("--sigma", noise->noise, "standard deviation of the noise")->required();
  command->add_option("--sensitivity", noise->sensitivity, "L2 sensitivity");
  add_run_options(*command, *run);
  command->callback([run, noise] {
    account_release(*run, make_release(GaussianRelease{ratio(noise->noise, noise->sensitivity)}));
  });
}

void add_laplace(CLI::App& account) {
  CLI::App* command = account.add_subcommand("laplace", "Laplace noise, repeated and sampled");
  auto run = std::make_shared<RunOptions>();
  auto noise = std::make_shared<NoiseOptions>();
  command->add_option("--scale", noise->noise, "scale b of the noise, variance 2 b^2")->required();
  command->add_option("--sensitivity", noise->sensitivity, "L1 sensitivity");
  add_run_options(*command, *run);
  command->callback([run, noise] {
    account_release(*run, make_release(LaplaceRelease{ratio(noise->noise, noise->sensitivity)}));
  });
}

void add_discrete(CLI::App& account) {
  CLI::App* gaussian =
      account.add_subcommand("discrete-gaussian", "Discrete Gaussian noise on one whole number");
  auto run = std::make_shared<RunOptions>();
  auto noise = std::make_shared<NoiseOptions>();
  gaussian->add_option("--sigma", noise->noise, "sigma, in steps of the grid")->required();
  gaussian->add_option("--sensitivity", noise->steps_of_grid, "sensitivity, in steps of the grid");
  add_run_options(*gaussian, *run);
  gaussian->callback([run, noise] {
    account_release(*run, make_release(DiscreteGaussianRelease{
                              noise->noise, static_cast<double>(noise->steps_of_grid), 1}));
  });
  CLI::App* laplace = account.add_subcommand("discrete-laplace", "Discrete Laplace noise on whole numbers");
  laplace->add_option("--scale", noise->noise, "scale, in steps of the grid")->required();
  laplace->add_option("--sensitivity", noise->steps_of_grid, "L1 sensitivity, in steps of the grid");
  add_run_options(*laplace, *run);
  laplace->callback([run, noise] {
    account_release(*run, make_release(DiscreteLaplaceRelease{noise->noise, noise->steps_of_grid}));
  });
}

/// The two answers that tell two categories apart, and the others.
ReleasePointer randomised_response(const NoiseOptions& options) {
  if (!(options.epsilon > 0) || !std::isfinite(options.epsilon))
    fail(Fault::kConfig, "epsilon must be positive and finite");
  const double keep = std::exp(options.epsilon);
  const double total = keep + static_cast<double>(options.categories - 1);
  const double other = static_cast<double>(options.categories - 2) / total;
  return make_release(FinitePairRelease{fmt::format("{}-ary randomised response", options.categories),
                                        {keep / total, 1 / total, other},
                                        {1 / total, keep / total, other}});
}

void add_randomised_response(CLI::App& account) {
  CLI::App* command = account.add_subcommand("randomised-response", "Answers kept or replaced at random");
  auto run = std::make_shared<RunOptions>();
  auto options = std::make_shared<NoiseOptions>();
  command->add_option("--epsilon", options->epsilon, "local epsilon of one answer")->required();
  command->add_option("--categories", options->categories, "number of possible answers")
      ->check(CLI::Range(2, 1000000));
  add_run_options(*command, *run);
  command->callback([run, options] { account_release(*run, randomised_response(*options)); });
}

void add_event(CLI::App& account) {
  CLI::App* command =
      account.add_subcommand("event", "Any release, given as JSON: a mechanism by its own curve");
  auto run = std::make_shared<RunOptions>();
  auto file = std::make_shared<std::string>();
  command->add_option("FILE", *file, "release as a JSON object, e.g. {\"kind\": \"curve\", ...}")->required();
  add_run_options(*command, *run);
  command->callback([run, file] {
    const std::string text = read_text(*file);
    const ReleasePointer release = with_context(*file, [&] {
      try {
        return release_from_json(Json::parse(text));
      } catch (const Json::exception&) {
        fail(Fault::kData, "not a JSON object, or one with a number out of range");
      }
    });
    account_release(*run, release);
  });
}

void add_calibrate(CLI::App& account) {
  CLI::App* command = account.add_subcommand("calibrate", "The least noise that keeps a promise");
  auto run = std::make_shared<RunOptions>();
  auto options = std::make_shared<NoiseOptions>();
  auto mechanism = std::make_shared<std::string>("gaussian");
  command->add_option("--epsilon", options->epsilon, "epsilon of all releases together")->required();
  command->add_option("--mechanism", *mechanism, "gaussian or laplace")
      ->check(CLI::IsMember({"gaussian", "laplace"}));
  command->add_option("--sensitivity", options->sensitivity, "L2 (gaussian) or L1 (laplace) sensitivity");
  add_run_options(*command, *run);
  command->callback([run, options, mechanism] {
    if (run->group != 1) fail(Fault::kUsage, "calibrate protects one record; divide epsilon for groups");
    const auto release_of = [&](double noise) {
      return sampled(*run, *mechanism == "gaussian" ? make_release(GaussianRelease{noise})
                                                    : make_release(LaplaceRelease{noise}));
    };
    const double sensitivity = 1 / ratio(1, options->sensitivity);
    const double noise =
        calibrate_noise(release_of, run->steps, options->epsilon, run->delta, run->accountant);
    const char* parameter = *mechanism == "gaussian" ? "sigma" : "scale";
    print_statement(run_statement(*run, release_of(noise)),
                    {{parameter, noise * sensitivity},
                     {"noise_multiplier", noise},
                     {"accountant", run->accountant},
                     {"releases", run->steps}},
                    run->json);
  });
}

struct LedgerOptions {
  std::string file;
  std::string participant;
  std::string observer;
  RunOptions run;
};

void account_ledger(const LedgerOptions& options) {
  const Ledger ledger = Ledger::from_text(read_text(options.file), options.file);
  Json all = Json::array();
  for (const Ledger::Account& account : ledger.accounts()) {
    if (!options.participant.empty() && account.first != options.participant) continue;
    if (!options.observer.empty() && account.second != options.observer) continue;
    const PrivacyStatement statement = ledger.statement(account, options.run.accountant, options.run.delta);
    Json entry = {{"participant", account.first}, {"observer", account.second}};
    entry.update(to_json(statement));
    all.push_back(entry);
    if (!options.run.json)
      fmt::print("{} to {}: {}", account.first, account.second, statement_text(statement, terminal_style()));
  }
  if (all.empty()) fail(Fault::kConfig, fmt::format("{}: no such account", options.file));
  if (options.run.json) print_json({{"accounts", all}});
}

void add_ledger(CLI::App& account) {
  CLI::App* command =
      account.add_subcommand("ledger", "Everything a recorded run released, per participant and observer");
  auto options = std::make_shared<LedgerOptions>();
  command->add_option("FILE", options->file, "ledger.jsonl of a run")->required();
  command->add_option("--participant", options->participant, "only this participant");
  command->add_option("--observer", options->observer, "only this observer");
  command->add_option("--delta", options->run.delta, "delta at which epsilon is stated");
  command->add_option("--accountant", options->run.accountant, "pld (tightest), rdp or zcdp")
      ->check(CLI::IsMember(accountant_names()));
  command->add_flag("--json", options->run.json, "print one JSON document on stdout");
  command->callback([options] { account_ledger(*options); });
}

struct MetricOptions {
  MetricRelease release{"report", 0, 0, "unit"};
  std::uint64_t steps = 1;
  double at = 0;
  bool json = false;
};

void add_metric(CLI::App& account) {
  CLI::App* command =
      account.add_subcommand("metric", "d-privacy and geo-indistinguishability of repeated reports");
  auto options = std::make_shared<MetricOptions>();
  command->add_option("--epsilon", options->release.epsilon, "epsilon per unit of distance, of one report")
      ->required();
  command->add_option("--delta", options->release.delta, "delta of one report (truncated mechanisms)");
  command->add_option("--unit", options->release.distance, "what the distance is measured in: km, cells");
  command->add_option("--steps", options->steps, "number of reports")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 50));
  command->add_option("--distance", options->at, "also state what holds for secrets that far apart");
  command->add_flag("--json", options->json, "print one JSON document on stdout");
  command->callback([options] {
    MetricAccountant accountant;
    accountant.add(*make_release(options->release), options->steps);
    Json facts = {{"releases", options->steps}};
    if (options->at != 0) {
      const auto at = accountant.at_distance(options->at);
      facts.update(
          {{"distance", options->at}, {"epsilon_at_distance", at.epsilon}, {"delta_at_distance", at.delta}});
    }
    print_statement(accountant.statement(), facts, options->json);
  });
}

}  // namespace

void add_account_command(CLI::App& app) {
  CLI::App* account =
      app.add_subcommand("account", "What noise really promises, with all terms of the promise");
  account->require_subcommand(1);
  add_gaussian(*account);
  add_laplace(*account);
  add_discrete(*account);
  add_randomised_response(*account);
  add_event(*account);
  add_calibrate(*account);
  add_ledger(*account);
  add_metric(*account);
  add_network_accounts(*account);
}

}  // namespace earshot::cli
