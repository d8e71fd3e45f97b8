#include "earshot/accounting/release_event.hpp"

#include <cmath>
#include <initializer_list>
#include <utility>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/core/text.hpp"

namespace earshot {
namespace {

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

/// A release inside a sample inside a repetition inside a composition, and some: real trees are shallow.
constexpr int kDeepestTree = 16;

const std::vector<std::string>& kind_names() {
  static const std::vector<std::string> names = {"gaussian",
                                                 "laplace",
                                                 "discrete_gaussian",
                                                 "discrete_laplace",
                                                 "finite_pair",
                                                 "curve",
                                                 "pure",
                                                 "concentrated",
                                                 "metric",
                                                 "not_private",
                                                 "poisson_sampled",
                                                 "sampled_without_replacement",
                                                 "repeated",
                                                 "composed"};
  return names;
}

void require(bool holds, const std::string& sentence) {
  if (!holds) fail(Fault::kConfig, sentence);
}

void require_positive(double value, const char* what) {
  require(value > 0 && std::isfinite(value),
          fmt::format("{} must be positive and finite, not {}", what, value));
}

void require_inner(const ReleasePointer& inner, const char* what) {
  require(inner != nullptr, fmt::format("a {} release needs the release it is made of", what));
}

void check_distribution(const std::vector<double>& probabilities, const std::string& name) {
  double sum = 0;
  for (const double p : probabilities) {
    require(p >= 0 && p <= 1, fmt::format("{}: a probability must lie in [0, 1], not {}", name, p));
    sum += p;
  }
  require(std::abs(sum - 1) <= 1e-9, fmt::format("{}: the probabilities sum to {}, not to 1", name, sum));
}

void check(const FinitePairRelease& release) {
  require(!release.p.empty() && release.p.size() == release.q.size(),
          fmt::format("{}: p and q must list the same outcomes, at least one", release.name));
  check_distribution(release.p, release.name);
  check_distribution(release.q, release.name);
}

void check(const CurveRelease& release) {
  require(!release.epsilon.empty() && release.epsilon.size() == release.delta.size(),
          fmt::format("{}: the privacy curve needs as many deltas as epsilons, at least one", release.name));
  for (std::size_t i = 0; i < release.epsilon.size(); ++i) {
    require(release.epsilon[i] >= 0 && std::isfinite(release.epsilon[i]),
            fmt::format("{}: epsilons must be finite and not negative", release.name));
    require(release.delta[i] >= 0 && release.delta[i] <= 1,
            fmt::format("{}: deltas must lie in [0, 1]", release.name));
    require(
        i == 0 || (release.epsilon[i] > release.epsilon[i - 1] && release.delta[i] <= release.delta[i - 1]),
        fmt::format("{}: along a privacy curve epsilon rises and delta falls", release.name));
  }
}

void check(const ReleaseEvent::Kind& kind) {
  std::visit(
      Overloaded{
          [](const GaussianRelease& r) { require_positive(r.noise_multiplier, "a noise multiplier"); },
          [](const LaplaceRelease& r) { require_positive(r.noise_multiplier, "a noise multiplier"); },
          [](const DiscreteGaussianRelease& r) {
            require_positive(r.sigma, "sigma");
            require_positive(r.sensitivity, "a sensitivity");
            require(r.dimension > 0, "a release has at least one dimension");
          },
          [](const DiscreteLaplaceRelease& r) {
            require_positive(r.scale, "the scale");
            require(r.sensitivity > 0, "a sensitivity is at least one step of the grid");
          },
          [](const FinitePairRelease& r) { check(r); },
          [](const CurveRelease& r) { check(r); },
          [](const PureRelease& r) {
            require(r.epsilon >= 0 && std::isfinite(r.epsilon), "epsilon must be finite and not negative");
          },
          [](const ConcentratedRelease& r) {
            require(r.rho >= 0 && std::isfinite(r.rho), "rho must be finite and not negative");
          },
          [](const MetricRelease& r) {
            // 0 is a report that does not depend on the secret.
            require(r.epsilon >= 0 && std::isfinite(r.epsilon),
                    fmt::format("epsilon per unit of distance must be 0 or positive and finite, not {}",
                                r.epsilon));
            require(r.delta >= 0 && r.delta < 1, "delta must lie in [0, 1)");
            require(!r.distance.empty(), "metric privacy needs to say what its distance is");
          },
          [](const NotPrivateRelease&) {},
          [](const PoissonSampledRelease& r) {
            require(r.rate > 0 && r.rate <= 1,
                    fmt::format("a sampling rate must lie in (0, 1], not {}", r.rate));
            require_inner(r.inner, "sampled");
          },
          [](const SampledWithoutReplacementRelease& r) {
            require(
                r.sample > 0 && r.sample <= r.population,
                fmt::format("a sample must hold between 1 and {} records, not {}", r.population, r.sample));
            require_inner(r.inner, "sampled");
          },
          [](const RepeatedRelease& r) {
            require(r.count > 0, "a release is repeated at least once");
            require_inner(r.inner, "repeated");
          },
          [](const ComposedRelease& r) {
            for (const ReleasePointer& part : r.parts) require_inner(part, "composed");
          },
      },
      kind);
}

Json json_of(const ReleaseEvent::Kind& kind) {
  return std::visit(
      Overloaded{
          [](const GaussianRelease& r) -> Json {
            return {{"noise_multiplier", r.noise_multiplier}};
          },
          [](const LaplaceRelease& r) -> Json {
            return {{"noise_multiplier", r.noise_multiplier}};
          },
          [](const DiscreteGaussianRelease& r) -> Json {
            return {{"sigma", r.sigma}, {"sensitivity", r.sensitivity}, {"dimension", r.dimension}};
          },
          [](const DiscreteLaplaceRelease& r) -> Json {
            return {{"scale", r.scale}, {"sensitivity", r.sensitivity}};
          },
          [](const FinitePairRelease& r) -> Json {
            return {{"name", r.name}, {"p", r.p}, {"q", r.q}};
          },
          [](const CurveRelease& r) -> Json {
            return {{"name", r.name}, {"epsilon", r.epsilon}, {"delta", r.delta}};
          },
          [](const PureRelease& r) -> Json {
            return {{"name", r.name}, {"epsilon", r.epsilon}};
          },
          [](const ConcentratedRelease& r) -> Json {
            return {{"name", r.name}, {"rho", r.rho}};
          },
          [](const MetricRelease& r) -> Json {
            return {{"name", r.name}, {"epsilon", r.epsilon}, {"delta", r.delta}, {"distance", r.distance}};
          },
          [](const NotPrivateRelease& r) -> Json {
            return {{"reason", r.reason}};
          },
          [](const PoissonSampledRelease& r) -> Json {
            return {{"rate", r.rate}, {"inner", to_json(*r.inner)}};
          },
          [](const SampledWithoutReplacementRelease& r) -> Json {
            return {{"population", r.population}, {"sample", r.sample}, {"inner", to_json(*r.inner)}};
          },
          [](const RepeatedRelease& r) -> Json {
            return {{"count", r.count}, {"inner", to_json(*r.inner)}};
          },
          [](const ComposedRelease& r) -> Json {
            Json parts = Json::array();
            for (const ReleasePointer& part : r.parts) parts.push_back(to_json(*part));
            return {{"parts", std::move(parts)}};
          },
      },
      kind);
}

/// Reads the members of one JSON object; every one of them must be asked for.
class Reader {
 public:
  Reader(const Json& json, std::string kind) : json_(json), kind_(std::move(kind)) {}

  const Json& member(const char* key) {
    ++read_;
    const auto found = json_.find(key);
    if (found == json_.end())
      fail(Fault::kData, fmt::format("release \"{}\" needs a value \"{}\"", kind_, key));
    return *found;
  }
  double number(const char* key) {
    const Json& value = member(key);
    if (!value.is_number()) wrong(key, "a number");
    return value.get<double>();
  }
  std::uint64_t count(const char* key) {
    const Json& value = member(key);
    if (!value.is_number_unsigned()) wrong(key, "a whole number that is not negative");
    return value.get<std::uint64_t>();
  }
  std::string text(const char* key) {
    const Json& value = member(key);
    if (!value.is_string()) wrong(key, "a text");
    return value.get<std::string>();
  }
  std::vector<double> numbers(const char* key) {
    const Json& value = member(key);
    if (!value.is_array()) wrong(key, "a list of numbers");
    std::vector<double> out;
    for (const Json& entry : value) {
      if (!entry.is_number()) wrong(key, "a list of numbers");
      out.push_back(entry.get<double>());
    }
    return out;
  }
  /// Call last: a key nobody asked for is a mistake somebody should hear about.
  void finish() const {
    if (json_.size() != read_ + 1)
      fail(Fault::kData, fmt::format("release \"{}\" has a key it does not know: {}", kind_, json_.dump()));
  }

 private:
  [[noreturn]] void wrong(const char* key, const char* expected) const {
    fail(Fault::kData, fmt::format("release \"{}\": \"{}\" must be {}", kind_, key, expected));
  }
  const Json& json_;
  std::string kind_;
  std::size_t read_ = 0;
};

ReleasePointer from_json(const Json& json, int depth);

std::vector<ReleasePointer> parts_from(Reader& reader, int depth) {
  const Json& list = reader.member("parts");
  if (!list.is_array()) fail(Fault::kData, "release \"composed\": \"parts\" must be a list of releases");
  std::vector<ReleasePointer> parts;
  for (const Json& part : list) parts.push_back(from_json(part, depth + 1));
  return parts;
}

ReleaseEvent::Kind read_kind(const std::string& kind, Reader& in, int depth) {
  const auto inner = [&] { return from_json(in.member("inner"), depth + 1); };
  if (kind == "gaussian") return GaussianRelease{in.number("noise_multiplier")};
  if (kind == "laplace") return LaplaceRelease{in.number("noise_multiplier")};
  if (kind == "discrete_gaussian")
    return DiscreteGaussianRelease{in.number("sigma"), in.number("sensitivity"), in.count("dimension")};
  if (kind == "discrete_laplace") return DiscreteLaplaceRelease{in.number("scale"), in.count("sensitivity")};
  if (kind == "finite_pair") return FinitePairRelease{in.text("name"), in.numbers("p"), in.numbers("q")};
  if (kind == "curve") return CurveRelease{in.text("name"), in.numbers("epsilon"), in.numbers("delta")};
  if (kind == "pure") return PureRelease{in.text("name"), in.number("epsilon")};
  if (kind == "concentrated") return ConcentratedRelease{in.text("name"), in.number("rho")};
  if (kind == "metric")
    return MetricRelease{in.text("name"), in.number("epsilon"), in.number("delta"), in.text("distance")};
  if (kind == "not_private") return NotPrivateRelease{in.text("reason")};
  if (kind == "poisson_sampled") return PoissonSampledRelease{in.number("rate"), inner()};
  if (kind == "sampled_without_replacement")
    return SampledWithoutReplacementRelease{in.count("population"), in.count("sample"), inner()};
  if (kind == "repeated") return RepeatedRelease{in.count("count"), inner()};
  if (kind == "composed") return ComposedRelease{parts_from(in, depth)};
  fail(Fault::kData, fmt::format("no release is called \"{}\": {}", kind, suggest(kind, kind_names())));
}

ReleasePointer from_json(const Json& json, int depth) {
  if (depth > kDeepestTree)
    fail(Fault::kData, fmt::format("releases are nested deeper than {} levels", kDeepestTree));
  if (!json.is_object() || !json.contains("kind") || !json["kind"].is_string())
    fail(Fault::kData, "a release must be an object with a text \"kind\"");
  const auto kind = json["kind"].get<std::string>();
  Reader reader(json, kind);
  ReleaseEvent::Kind read = read_kind(kind, reader, depth);
  reader.finish();
  return make_release(std::move(read));
}

}  // namespace

ReleasePointer make_release(ReleaseEvent::Kind kind) {
  check(kind);
  return std::make_shared<const ReleaseEvent>(ReleaseEvent{std::move(kind)});
}

ReleasePointer repeated(std::uint64_t count, ReleasePointer inner) {
  return make_release(RepeatedRelease{count, std::move(inner)});
}

ReleasePointer poisson_sampled(double rate, ReleasePointer inner) {
  return make_release(PoissonSampledRelease{rate, std::move(inner)});
}

std::string kind_name(const ReleaseEvent& event) {
  return kind_names().at(event.kind.index());
}

std::string describe(const ReleaseEvent& event) {
  return std::visit(
      Overloaded{
          [](const GaussianRelease& r) {
            return fmt::format("Gaussian noise, {:.6g} times the L2 sensitivity", r.noise_multiplier);
          },
          [](const LaplaceRelease& r) {
            return fmt::format("Laplace noise, scale {:.6g} times the L1 sensitivity", r.noise_multiplier);
          },
          [](const DiscreteGaussianRelease& r) {
            return fmt::format("discrete Gaussian noise, sigma {:.6g} steps for a sensitivity of {:.6g}",
                               r.sigma, r.sensitivity);
          },
          [](const DiscreteLaplaceRelease& r) {
            return fmt::format("discrete Laplace noise, scale {:.6g} steps for a sensitivity of {}", r.scale,
                               r.sensitivity);
          },
          [](const FinitePairRelease& r) { return fmt::format("{} ({} outcomes)", r.name, r.p.size()); },
          [](const CurveRelease& r) { return fmt::format("{} (given by its privacy curve)", r.name); },
          [](const PureRelease& r) { return fmt::format("{}, {:.6g}-DP", r.name, r.epsilon); },
          [](const ConcentratedRelease& r) { return fmt::format("{}, {:.6g}-zCDP", r.name, r.rho); },
          [](const MetricRelease& r) {
            return fmt::format("{}, epsilon {:.6g} per {}", r.name, r.epsilon, r.distance);
          },
          [](const NotPrivateRelease& r) { return fmt::format("not private: {}", r.reason); },
          [](const PoissonSampledRelease& r) {
            return fmt::format("{}, on a Poisson sample of rate {:.6g}", describe(*r.inner), r.rate);
          },
          [](const SampledWithoutReplacementRelease& r) {
            return fmt::format("{}, on {} of {} records drawn without replacement", describe(*r.inner),
                               r.sample, r.population);
          },
          [](const RepeatedRelease& r) { return fmt::format("{} times: {}", r.count, describe(*r.inner)); },
          [](const ComposedRelease& r) {
            std::string text;
            for (const ReleasePointer& part : r.parts) text += (text.empty() ? "" : "; ") + describe(*part);
            return text.empty() ? std::string("nothing") : text;
          },
      },
      event.kind);
}

Json to_json(const ReleaseEvent& event) {
  Json json = {{"kind", kind_name(event)}};
  json.update(json_of(event.kind));
  return json;
}

ReleasePointer release_from_json(const Json& json) {
  return from_json(json, 0);
}

}  // namespace earshot
