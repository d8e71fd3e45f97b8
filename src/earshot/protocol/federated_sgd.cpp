#include "earshot/protocol/federated_sgd.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/core/finite.hpp"
#include "earshot/protocol/compression.hpp"
#include "earshot/protocol/federated.hpp"

namespace earshot {
namespace {

/// The gradient of one batch, and the statistics of batch norm after it.
bool gradient_at(Learner& learner, std::span<const double> model, std::span<double> state,
                 std::span<double> reply) {
  std::ranges::copy(model, state.begin());
  const std::span<double> gradient = reply.first(learner.task().parameter_count());
  if (!learner.gradient(state, gradient) || !learner.protect_update(gradient)) return false;
  std::ranges::copy(state.subspan(gradient.size()), reply.subspan(gradient.size()).begin());
  return true;
}

class PlainGradient : public ClientWork {
 public:
  explicit PlainGradient(const Compression& compression) : compression_(compression) {}
  bool answer(Learner& learner, std::span<const double> request, Scratch& scratch,
              std::span<double> reply) override {
    if (!gradient_at(learner, request, scratch.state, reply)) return false;
    if (compression_.active())
      compress(compression_, reply.first(learner.task().parameter_count()), scratch.gradient);
    return true;
  }

 private:
  Compression compression_;
};

class PlainSum : public ServerWork {
 public:
  PlainSum(std::vector<double> start, std::size_t parameters, const SgdOptions& options)
      : state_(std::move(start)),
        sum_(state_.size()),
        optimiser_(parameters, options),
        parameters_(parameters) {}

  std::span<const double> request() const override { return state_; }
  std::size_t reply_size() const override { return state_.size(); }
  bool add(std::span<const double> reply, double weight) override {
    for (std::size_t i = 0; i < reply.size(); ++i) sum_[i] += weight * reply[i];
    weight_ += weight;
    return true;
  }
  void apply() override {
    if (weight_ > 0) {
      for (double& value : sum_) value /= weight_;
      optimiser_.step(std::span(state_).first(parameters_), std::span(sum_).first(parameters_));
      std::copy(sum_.begin() + static_cast<std::ptrdiff_t>(parameters_), sum_.end(),
                state_.begin() + static_cast<std::ptrdiff_t>(parameters_));
    }
    std::ranges::fill(sum_, 0.0);
    weight_ = 0;
  }
  void result(std::span<double> state) const override { std::ranges::copy(state_, state.begin()); }
  void save(StateWriter& out) const override {
    out.reals(state_);
    optimiser_.save(out);
  }
  void load(StateReader& in) override {
    in.reals(state_);
    optimiser_.load(in);
  }

 private:
  std::vector<double> state_;
  std::vector<double> sum_;
  Sgd optimiser_;
  std::size_t parameters_;
  double weight_ = 0;
};

/// Sends what changed since its last gradient. The first gradient is handed over on a line that nobody taps,
/// so it is no message of the network; what is said instead is a zero.
class DifferentialGradient : public ClientWork {
 public:
  bool answer(Learner& learner, std::span<const double> request, Scratch& scratch,
              std::span<double> reply) override {
    if (!gradient_at(learner, request, scratch.state, reply)) return false;
    if (!all_finite(reply)) return true;  // the server rejects it, and later differences are sound
    const bool first = last_.empty();
    if (first) last_.assign(reply.begin(), reply.end());
    untold_ = first;
    for (std::size_t i = 0; i < reply.size(); ++i) {
      const double gradient = reply[i];
      reply[i] = gradient - last_[i];
      last_[i] = gradient;
    }
    return true;
  }
  /// The first gradient, once.
  std::span<const double> take_secret() {
    return std::exchange(untold_, false) ? std::span<const double>(last_) : std::span<const double>();
  }
  void save(StateWriter& out) const override {
    out.reals(last_);
    out.number(untold_ ? 1 : 0);
  }
  void load(StateReader& in) override {
    last_ = in.reals();
    untold_ = in.number() != 0;
  }

 private:
  std::vector<double> last_;  // empty before the first
  bool untold_ = false;
};

/// Keeps sum_i p_i g_i by adding differences: one vector, however many clients.
class DifferentialSum : public ServerWork {
 public:
  DifferentialSum(std::vector<double> start, const SgdOptions& options,
                  std::vector<DifferentialGradient*> lines, std::vector<double> shares)
      : state_(std::move(start)),
        sum_(state_.size()),
        optimiser_(state_.size(), options),
        lines_(std::move(lines)),
        shares_(std::move(shares)) {
    for (const double share : shares_) total_ += share;
  }

  std::span<const double> request() const override { return state_; }
  std::size_t reply_size() const override { return state_.size(); }
  bool add(std::span<const double> reply, double weight) override {
    for (std::size_t i = 0; i < reply.size(); ++i) sum_[i] += weight / total_ * reply[i];
    heard_ = true;
    return true;
  }
  void apply() override {
    for (std::size_t client = 0; client < lines_.size(); ++client) {
      const std::span<const double> secret = lines_[client]->take_secret();
      if (!secret.empty()) add(secret, shares_[client]);
    }
    if (heard_) optimiser_.step(state_, sum_);
    heard_ = false;
  }
  void result(std::span<double> state) const override { std::ranges::copy(state_, state.begin()); }
  void save(StateWriter& out) const override {
    out.reals(state_);
    out.reals(sum_);
    optimiser_.save(out);
  }
  void load(StateReader& in) override {
    in.reals(state_);
    in.reals(sum_);
    optimiser_.load(in);
  }

 private:
  std::vector<double> state_;
  std::vector<double> sum_;
  Sgd optimiser_;
  std::vector<DifferentialGradient*> lines_;
  std::vector<double> shares_;
  double total_ = 0;
  bool heard_ = false;
};

FederatedMethod plain(const SgdOptions& server, const Compression& compression, const ProtocolParts& parts) {
  FederatedMethod method;
  method.server = std::make_unique<PlainSum>(parts.start, parts.task.parameter_count(), server);
  for (std::size_t i = 0; i < parts.shards.size(); ++i) {
    method.clients.push_back(std::make_unique<PlainGradient>(compression));
  }
  return method;
}

FederatedMethod differential(const FederatedOptions& options, const SgdOptions& server,
                             const ProtocolParts& parts) {
  if (options.clients > 0 || options.fraction < 1) {
    fail(Fault::kConfig,
         "differences add up only if every client is asked in every round: leave out \"clients\" and set "
         "\"fraction\" to 1");
  }
  if (parts.task.state_size() > parts.task.parameter_count()) {
    fail(Fault::kConfig, "differential messages are for models without batch norm");
  }
  FederatedMethod method;
  std::vector<DifferentialGradient*> lines;
  std::vector<double> shares;
  for (const auto& shard : parts.shards) {
    auto client = std::make_unique<DifferentialGradient>();
    lines.push_back(client.get());
    shares.push_back(client_weight(options, shard.size()));
    method.clients.push_back(std::move(client));
  }
  method.server = std::make_unique<DifferentialSum>(parts.start, server, std::move(lines), std::move(shares));
  method.warnings = [](std::uint64_t missing) {
    std::vector<std::string> warnings;
    if (missing > 0) {
      warnings.push_back(fmt::format(
          "{} differences never reached the server, whose gradient is wrong from then on", missing));
    }
    return warnings;
  };
  return method;
}

std::unique_ptr<Protocol> make(const Settings& settings, ProtocolParts parts) {
  FederatedOptions options = federated_options(settings);
  options.by_records = settings.text("weighting") == "records";
  const SgdOptions server{settings.real("learning_rate"), settings.real("momentum"), 0};
  const bool whole = settings.text("messages") == "plain";
  const Compression compression{settings.real("pruned"), settings.real("cell")};
  require_valid(compression);
  if (!whole && compression.active()) {
    fail(Fault::kConfig,
         "what is left out of differences is missing for ever: set \"messages\" to \"plain\", or \"pruned\" "
         "and \"cell\" to 0");
  }
  FederatedMethod method = whole ? plain(server, compression, parts) : differential(options, server, parts);
  method.facts = {{"sends", whole ? "gradients" : "differences of gradients"},
                  {"learning_rate", server.rate},
                  {"pruned", compression.pruned},
                  {"cell", compression.cell_width}};
  return make_federated(options, std::move(method), std::move(parts));
}

std::uint64_t steps(const Settings& settings, std::size_t, std::size_t) {
  return settings.size("rounds");
}

}  // namespace

const ProtocolComponent& fedsgd_component() {
  static const ProtocolComponent component{
      {"protocol", "fedsgd", "clients send the gradient of one batch, the server makes the step",
       "McMahan, Moore, Ramage, Hampson & Aguera y Arcas 2017; Yu 2026 (differential)",
       with_federated_parameters(
           {choice_parameter("weighting", "records", {"records", "uniform"},
                             "clients weigh as much as they have records, or all the same"),
            above_minimum(real_parameter("learning_rate", 0.1, 0, 1e6, "step size of the server")),
            real_parameter("momentum", 0, 0, 1, "of the server: share of the last step that is kept"),
            choice_parameter("messages", "plain", {"plain", "differential"},
                             "gradients, or the first one in secret and then only what changed"),
            real_parameter("pruned", 0, 0, 1,
                           "share of a gradient's numbers, the smallest, that are sent as zeros; below 1"),
            real_parameter("cell", 0, 0, 1e300, "width of the cells its numbers are rounded by; 0: none")})},
      NetworkNeed::kNone,
      steps,
      make};
  return component;
}

}  // namespace earshot
