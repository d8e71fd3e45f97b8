#include "earshot/audit/audit.hpp"

#include <utility>

#include <fmt/format.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

/// How far outside the clip the coordinates of audited inputs lie.
constexpr double kFarOutside = 10;

std::string vector_text(const std::vector<double>& value) {
  constexpr std::size_t kShown = 8;
  const auto shown = static_cast<std::ptrdiff_t>(std::min(kShown, value.size()));
  return fmt::format("({:g}{})", fmt::join(value.begin(), value.begin() + shown, ", "),
                     value.size() > kShown ? fmt::format(", ... {} in all", value.size()) : "");
}

std::array<std::string, 2> vector_texts(const VectorPair& pair) {
  return {vector_text(pair[0]), vector_text(pair[1])};
}

std::string statistic_text(Statistic statistic) {
  switch (statistic) {
    case Statistic::kProjection:
      return "projection of the release on the difference of the inputs";
    case Statistic::kL1:
      return "L1 distance of the release to input 0 minus that to input 1";
    case Statistic::kL2:
      return "L2 distance of the release to input 0 minus that to input 1";
  }
  return {};
}

std::string definition(const ReleaseEvent& release, const Claim& claim) {
  const bool metric = std::holds_alternative<MetricRelease>(release.kind);
  const std::string kind = claim.delta == 0 ? "epsilon" : "(epsilon, delta)";
  return metric ? fmt::format("metric privacy, as {}-indistinguishability of the two inputs", kind)
                : fmt::format("{}-differential privacy of one release", kind);
}

/// One function for both operations, so that no audit of `protect` ever sees the replayable stream.
template <class Mechanism, class Value>
auto apply(const Mechanism& mechanism, const Value& value, Operation operation, Stream& stream) {
  return operation == Operation::kSimulate ? mechanism.simulate(value, stream)
                                           : mechanism.protect(value, operating_system_random());
}

}  // namespace

SecureRandom& operating_system_random() {
  static thread_local SecureRandom random;
  return random;
}

VectorNeighbours opposite_outside_clip(Norm norm, double clip_bound, std::size_t dimension,
                                       Statistic statistic) {
  VectorNeighbours neighbours;
  neighbours.statistic = statistic;
  for (const std::size_t i : {0, 1}) {
    neighbours.inputs[i].assign(dimension, (i == 0 ? -kFarOutside : kFarOutside) * clip_bound);
    neighbours.centres[i] = neighbours.inputs[i];
    clip(norm, clip_bound, neighbours.centres[i]);
  }
  return neighbours;
}

void state(Audit& audit, const ReleaseEvent& release, const MechanismTerms& terms, double delta,
           double distance, Operation operation) {
  audit.claim = claim_of(release, delta, distance);
  PrivacyStatement& statement = audit.statement;
  statement.epsilon = audit.claim.epsilon;
  statement.delta = audit.claim.delta;
  statement.definition = definition(release, audit.claim);
  statement.unit = terms.unit;
  statement.adjacency = terms.adjacency;
  statement.adversary = "anyone who sees the release and knows both inputs";
  statement.assumptions = {describe(release), "epsilon by " + audit.claim.method,
                           operation == Operation::kSimulate
                               ? "simulate: noise in double precision from a replayable stream"
                               : "protect: exact noise from the operating system"};
}

Audit audit_vector(const std::shared_ptr<const VectorMechanism>& mechanism,
                   const VectorNeighbours& neighbours, double delta, Operation operation) {
  Audit audit;
  audit.box =
      vector_box([mechanism, operation](std::span<double> value,
                                        Stream& stream) { apply(*mechanism, value, operation, stream); },
                 neighbours.inputs, neighbours.centres, neighbours.statistic);
  const ReleasePointer release = operation == Operation::kSimulate
                                     ? mechanism->release()
                                     : mechanism->protected_release(neighbours.inputs[0].size());
  state(audit, *release, mechanism->terms(), delta, neighbours.distance, operation);
  audit.inputs = vector_texts(neighbours.inputs);
  audit.observed = statistic_text(neighbours.statistic);
  return audit;
}

Audit audit_selection(const std::shared_ptr<const SelectionMechanism>& mechanism, const VectorPair& scores,
                      Operation operation) {
  Audit audit;
  audit.box = category_box([mechanism, scores, operation](std::size_t input, Stream& stream) {
    return apply(*mechanism, scores[input], operation, stream).value;
  });
  state(audit, *mechanism->release(), mechanism->terms(), 0, 1, operation);
  audit.inputs = vector_texts(scores);
  audit.observed = "the chosen candidate";
  return audit;
}

Audit audit_categories(const std::shared_ptr<const CategoryMechanism>& mechanism,
                       std::array<std::size_t, 2> inputs, double distance, Operation operation) {
  Audit audit;
  audit.box = category_box([mechanism, inputs, operation](std::size_t input, Stream& stream) {
    return apply(*mechanism, inputs[input], operation, stream).value;
  });
  state(audit, *mechanism->release(), mechanism->terms(), 0, distance, operation);
  audit.inputs = {std::to_string(inputs[0]), std::to_string(inputs[1])};
  audit.observed = "the reported category";
  return audit;
}

Audit audit_bits(const std::shared_ptr<const BitVectorMechanism>& mechanism, Operation operation) {
  Audit audit;
  audit.box = bits_box([mechanism, operation](std::size_t input, Stream& stream) {
    return apply(*mechanism, input, operation, stream).value;
  });
  state(audit, *mechanism->release(), mechanism->terms(), 0, 1, operation);
  audit.inputs = {"category 0", "category 1"};
  audit.observed = "all bits, read as a binary number";
  return audit;
}

AuditResult run_audit(const Audit& audit, const DistinguisherOptions& options, Progress* progress) {
  const double most = largest_bound(audit.claim.delta, options);
  if (most <= audit.claim.epsilon) {
    fail(Fault::kConfig,
         fmt::format(
             "{} samples can refute an epsilon below {:.3g} only, and {:.3g} is stated: give more samples, "
             "or audit the mechanism at a smaller epsilon",
             options.samples, most, audit.claim.epsilon));
  }
  AuditResult result;
  result.bound = epsilon_lower_bound(audit.box, audit.claim.delta, options, progress);
  result.passed = result.bound.epsilon <= audit.claim.epsilon;
  return result;
}

}  // namespace earshot
